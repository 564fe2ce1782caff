// oxlint-disable typescript/no-unnecessary-type-assertion -- isolatedDeclarations needs the types of other tables stated
import { agentTable } from "../agent/index.ts";
import { searchTable, webTable } from "../builtin/index.ts";
import { chainTable, triggersSetting } from "../chain/index.ts";
import { callTable, concurrencyTable } from "../engine/index.ts";
import { hubTable, skillTable } from "../hub/index.ts";
import { modelTable } from "../model/index.ts";
import { messageTable } from "./message-table.ts";

const toolFolderTable = {
  toolsDirectory: {
    type: "text",
    format: "folder",
    contents: { name: "tools", use: "loaded" },
    default: "tools",
    about: "Folder that tools are loaded from.",
  },
  autoReload: { type: "flag", default: true, about: "Reload changed tools while running." },
  reloadIntervalMs: { type: "seconds", default: 5, about: "Time between checks for changes." },
  watchForChanges: { type: "flag", default: false, about: "Watch the file system instead of polling for changes." },
} as const;

/**
 * The settings of `windlass.yaml`, by their names in {@link WorkspaceConfig}. Settings of a layer are in a table of that
 * layer, so that its functions have the same defaults.
 */
export const workspaceTable = {
  concurrency: {
    type: "section",
    about: "Limits on concurrent calls.",
    settings: concurrencyTable as typeof concurrencyTable,
  },
  engine: {
    type: "section",
    about: "Loading and calling of tools.",
    settings: { ...toolFolderTable, ...callTable } as typeof toolFolderTable & typeof callTable,
  },
  permissions: {
    type: "section",
    about: "Permission rules, checked in the order deny, ask, allow; the first match decides.",
    settings: {
      deny: { type: "list", format: "rule", defaultText: "none", about: "Calls to reject." },
      ask: {
        type: "list",
        format: "rule",
        defaultText: '["model:destructive", "mcp:destructive", "trigger:destructive"]',
        about: "Calls that need approval.",
      },
      allow: { type: "list", format: "rule", defaultText: '["*"]', about: "Calls to allow." },
    },
  },
  secrets: {
    type: "map",
    of: {
      type: "forms",
      title: "env, { env: NAME } or { file: path }",
      forms: [
        { type: "text", choices: ["env"] },
        {
          type: "section",
          about: "An environment variable with a different name.",
          settings: { env: { type: "text", required: true } },
        },
        { type: "section", about: "A file in the workspace.", settings: { file: { type: "text", required: true } } },
      ],
    },
    default: {},
    about: "Names of secrets and the sources of their values. This file never contains the values.",
  },
  env: { type: "list", default: [], about: "Environment variables that chains may read." },
  chains: { type: "section", about: "Loading and running of chains.", settings: chainTable as typeof chainTable },
  skills: { type: "section", about: "Loading and use of skills.", settings: skillTable as typeof skillTable },
  approvals: {
    type: "section",
    about: "Approvals of calls.",
    settings: {
      interruptedMs: {
        type: "days",
        max: 36_500,
        key: "interrupted_days",
        defaultText: "it does not expire",
        about: "Time until the approval of a call that was running when its process ended expires, and its step fails.",
      },
      notify: {
        type: "text",
        needsTrust: true,
        defaultText: "none",
        about:
          "Tool that a server calls once for each waiting approval, with title, text, link and approval_id. The call needs no approval.",
      },
    },
  },
  mcp: {
    type: "section",
    about: "Serving the workspace to MCP clients.",
    settings: {
      approvals: {
        type: "text",
        choices: ["client", "operator"],
        default: "client",
        about:
          "Approver of calls by MCP clients that need approval. client: the user of the client; operator: only the owner of the workspace, with `windlass approve`.",
      },
      serve: {
        type: "list",
        tools: { use: "choice", globs: true },
        defaultText: "the workspace's own, or the built-in ones if it has none",
        about:
          "Names of the tools and chains that MCP clients are offered; * stands for any part. Tools that cannot work are never offered.",
      },
    },
  },
  server: {
    type: "section",
    about: "Serving the workspace over HTTP, with `windlass serve`.",
    settings: {
      publicUrl: {
        type: "text",
        format: "url",
        needsTrust: true,
        defaultText: "the address that it listens on",
        about: "URL under which clients reach the server, such as that of a proxy. Links begin with it.",
      },
      allowHosts: {
        type: "list",
        format: "host",
        needsTrust: true,
        default: [],
        about: "More host names under which it may be addressed, such as that of a proxy.",
      },
      allowOrigins: {
        type: "list",
        needsTrust: true,
        default: [],
        about: 'Origins of pages of other sites that may use it, such as "https://inspector.example.com".',
      },
    },
  },
  capabilities: {
    type: "section",
    about: "Capabilities: tools that can substitute each other.",
    settings: {
      directory: {
        type: "text",
        format: "folder",
        contents: { name: "capabilities", use: "loaded" },
        default: "capabilities",
        about: "Folder that contracts are loaded from.",
      },
      keywords: {
        type: "map",
        of: { type: "list" },
        default: {},
        about: "Additional keywords of capabilities, such as { search: [检索, lookup] }.",
      },
      declared: {
        type: "map",
        key: "declare",
        of: { type: "list" },
        default: {},
        about: 'Capabilities that a server or a tool provides, such as { "mcp:brave": [search] }.',
      },
    },
  },
  files: {
    type: "section",
    about: "Access of file tools to the workspace.",
    settings: {
      editable: {
        type: "list",
        choices: ["chains", "prompts", "skills", "tools"],
        needsTrust: true,
        default: [],
        about:
          "Control files that file tools may write. windlass.yaml, mcp.json, package.json, node_modules and .windlass are never opened.",
      },
      hardLinks: {
        type: "flag",
        needsTrust: true,
        default: false,
        about: "Read files with several names (hard links), which may belong to other folders. They are never written.",
      },
    },
  },
  hub: {
    type: "section",
    about: "Choice among several candidate tools, and synthesis of their results.",
    settings: hubTable as typeof hubTable,
  },
  retention: {
    type: "section",
    about: "Retention of records. Without limits they are removed only by `windlass prune`.",
    settings: {
      maxAgeMs: { type: "days", key: "days", defaultText: "no limit", about: "Age at which records are removed." },
      maxBytes: { type: "size", key: "bytes", defaultText: "no limit", about: "Maximum size of all records." },
    },
  },
  agent: {
    type: "section",
    about: "Defaults of `windlass ask`, `windlass chat` and agents created in code.",
    settings: agentTable as typeof agentTable,
  },
  models: {
    type: "map",
    of: {
      type: "section",
      about: "A model: its server, its name there and its request options.",
      settings: modelTable as typeof modelTable,
    },
    default: {},
    about:
      "Models by name; `default` is used unless another one is named, and the environment variables override it. A model may reach its own address; tools may not.",
  },
  search: { type: "section", about: "Search providers of web_search.", settings: searchTable as typeof searchTable },
  web: { type: "section", about: "Fetching of web pages.", settings: webTable as typeof webTable },
  weather: {
    type: "section",
    about: "Services and default location of get_weather.",
    settings: {
      forecastUrl: {
        type: "text",
        needsTrust: true,
        format: "url",
        defaultText: "Open-Meteo",
        about: "URL of a forecast service with the API of Open-Meteo.",
      },
      geocodingUrl: {
        type: "text",
        needsTrust: true,
        format: "url",
        defaultText: "Open-Meteo",
        about: "URL of a geocoding service with the API of Open-Meteo.",
      },
      apiKey: { type: "text", format: "secret", about: "Name of the secret with an Open-Meteo key, for subscribers." },
      defaultPlace: { type: "text", about: "Location used if a request names none." },
    },
  },
  vault: {
    type: "forms",
    title: "a folder, or { folder, watch }",
    forms: [
      { type: "text", format: "folder", contents: { name: "notes", use: "searched" } },
      {
        type: "section",
        about: "Folder of notes, and whether to watch it.",
        settings: {
          folder: {
            type: "text",
            format: "folder",
            contents: { name: "notes", use: "searched" },
            defaultText: "the workspace",
            about: "Folder of notes.",
          },
          watch: {
            type: "flag",
            defaultText: "false",
            about: "Update the index on file changes in long-running processes.",
          },
        },
      },
    ],
    defaultText: "the workspace",
    about: "Folder of notes for local_search.",
  },
  triggers: triggersSetting as typeof triggersSetting,
  timezone: {
    type: "text",
    defaultText: "that of the machine",
    about: "Time zone of tools that get none, such as Europe/Berlin.",
  },
  network: {
    type: "section",
    about: "Network access of tools besides the public internet.",
    settings: {
      allow: {
        type: "list",
        format: "address",
        default: [],
        about: 'Private addresses that tools may reach, such as "127.0.0.1:8888".',
      },
      trustedHosts: {
        type: "list",
        format: "host",
        needsTrust: true,
        default: [],
        about:
          'Hosts such as "api.example.com" or "*.example.com" from which a call may request a URL decided by untrusted content without approval.',
      },
    },
  },
  callbacks: messageTable.callbacks as typeof messageTable.callbacks,
  telemetry: {
    type: "section",
    about: "OpenTelemetry traces of calls, runs and model requests.",
    settings: {
      enabled: { type: "flag", default: false, about: "Create spans if an OpenTelemetry SDK is registered." },
      captureContent: {
        type: "flag",
        default: false,
        about: "Record prompts, answers, arguments and outputs in spans, with secrets redacted.",
      },
    },
  },
} as const;

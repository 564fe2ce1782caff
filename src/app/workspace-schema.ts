import { maxTimeoutMs } from "../base/index.ts";
import type { JsonSchema } from "../schema/index.ts";
import { agentSchema } from "./agent-settings.ts";
import { chainsSchema } from "./chain-settings.ts";
import { hubSettings } from "./hub-settings.ts";
import { modelSchema } from "./model-schema.ts";

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text };
const flag = { type: "boolean" };
const positive = { type: "integer", minimum: 1 };
const seconds = { type: "number", exclusiveMinimum: 0 };
/** At most 24 hours. */
const timeoutSeconds = { ...seconds, maximum: maxTimeoutMs / 1000 };

function closed(properties: Record<string, unknown>, description: string): Record<string, unknown> {
  return { type: "object", properties, additionalProperties: false, description };
}

/** The format of `windlass.yaml` as JSON Schema, for editors and for the reader of the file. */
export const workspaceSchema: JsonSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Windlass workspace",
  ...closed(
    {
      concurrency: closed(
        {
          max_concurrent: { ...positive, description: "Maximum concurrent calls. Default: 10." },
          queue_size: { type: "integer", minimum: 0, description: "Maximum calls that wait for a slot. Default: 100." },
          default_timeout: { ...timeoutSeconds, description: "Seconds a call may wait for a slot. Default: 30." },
          strategy: {
            enum: ["fifo", "priority", "reject"],
            description: "Queueing strategy when all slots are in use. Default: fifo.",
          },
          bucket_limits: {
            type: "object",
            additionalProperties: positive,
            description: "Maximum concurrent calls per category, such as { http: 5 }.",
          },
          rate_limits: {
            type: "object",
            additionalProperties: text,
            description: "Maximum call starts per category and unit of time, such as { http: 10/s }.",
          },
        },
        "Limits on concurrent calls.",
      ),
      engine: closed(
        {
          tools_directory: { ...text, description: "Folder that tools are loaded from. Default: tools." },
          auto_reload: { ...flag, description: "Reload changed tools while running. Default: true." },
          reload_interval: { ...seconds, description: "Seconds between checks for changes. Default: 5." },
          watch_for_changes: {
            ...flag,
            description: "Watch the file system instead of polling for changes. Default: false.",
          },
          strict_validation: {
            ...flag,
            description: "Reject undeclared parameters of tools instead of removing them. Default: false.",
          },
          timeout: {
            ...timeoutSeconds,
            description: "Timeout in seconds of tools that do not set their own. Default: 30.",
          },
          max_retries: {
            type: "integer",
            minimum: 0,
            description: "Maximum retries after a failure that is safe to retry. Default: 3.",
          },
          enabled_tools: { ...texts, description: "Gated tools to enable." },
          disabled_tools: { ...texts, description: "Tools to disable." },
        },
        "Loading and calling of tools.",
      ),
      permissions: closed(
        { deny: texts, ask: texts, allow: texts },
        "Permission rules, checked in the order deny, ask, allow; the first match decides. Defaults: deny is empty, " +
          'ask is ["model:destructive", "mcp:destructive"], allow is ["*"].',
      ),
      secrets: {
        type: "object",
        additionalProperties: {
          title: "env, { env: NAME } or { file: path }",
          anyOf: [
            { enum: ["env"] },
            { ...closed({ env: text }, "An environment variable with a different name."), required: ["env"] },
            { ...closed({ file: text }, "A file in the workspace."), required: ["file"] },
          ],
        },
        description: "Names of secrets and the sources of their values. This file never contains the values.",
      },
      env: { ...texts, description: "Environment variables that chains may read. Default: none." },
      chains: chainsSchema,
      skills: closed(
        {
          directory: { ...text, description: "Folder that skills are loaded from. Default: skills." },
          code: {
            ...flag,
            description:
              "Load code and YAML tools from skill folders; this runs their code. Default: not loaded, with a warning per " +
              "file; false: not loaded, no warning.",
          },
          trust_allowed_tools: {
            ...flag,
            description:
              "Call the allowed-tools of an active skill without approval; deny rules still apply. Default: false.",
          },
          catalogue_chars: {
            ...positive,
            description: "Maximum characters of the list of skills in the system prompt. Default: 4,000.",
          },
          instruction_chars: {
            ...positive,
            description: "Maximum characters of skill instructions returned at once. Default: 20,000.",
          },
        },
        "Loading and use of skills.",
      ),
      approvals: closed(
        {
          interrupted_days: {
            ...seconds,
            maximum: 36_500,
            description:
              "Days until the approval of a call that was running when its process ended expires, and its step fails. " +
              "Default: it does not expire.",
          },
        },
        "Approvals of calls.",
      ),
      mcp: closed(
        {
          approvals: {
            enum: ["client", "operator"],
            description:
              "Approver of calls by MCP clients that need approval. client: the user of the client; operator: " +
              "only the owner of the workspace, with `windlass approve`. Default: client.",
          },
          serve: {
            ...texts,
            description:
              "Names of the tools and chains that MCP clients are offered; * stands for any part. Default: the " +
              "workspace's own, or the built-in ones if it has none. Tools that cannot work are never offered.",
          },
        },
        "Serving the workspace to MCP clients.",
      ),
      capabilities: closed(
        {
          directory: { ...text, description: "Folder that contracts are loaded from. Default: capabilities." },
          keywords: {
            type: "object",
            additionalProperties: texts,
            description: "Additional keywords of capabilities, such as { search: [检索, lookup] }.",
          },
          declare: {
            type: "object",
            additionalProperties: texts,
            description: 'Capabilities that a server or a tool provides, such as { "mcp:brave": [search] }.',
          },
        },
        "Capabilities: tools that can substitute each other.",
      ),
      files: closed(
        {
          editable: {
            type: "array",
            items: { enum: ["chains", "prompts", "skills", "tools"] },
            description:
              "Control files that file tools may write. Default: none. windlass.yaml, mcp.json, package.json, " +
              "node_modules and .windlass are never opened.",
          },
          hard_links: {
            ...flag,
            description:
              "Read files with several names (hard links), which may belong to other folders. They are never written. " +
              "Default: false.",
          },
        },
        "Access of file tools to the workspace.",
      ),
      hub: closed(
        Object.fromEntries(
          Object.entries(hubSettings).map(([key, { inSeconds, about }]) => [
            key,
            { ...(inSeconds ? timeoutSeconds : positive), description: about },
          ]),
        ),
        "Choice among several candidate tools, and synthesis of their results.",
      ),
      retention: closed(
        {
          days: { ...seconds, description: "Days after which records are removed." },
          bytes: {
            title: "a size such as 500MB or 1GB",
            anyOf: [positive, text],
            description: "Maximum size of all records.",
          },
        },
        "Retention of records. Default: no limit; they are removed only by `windlass prune`.",
      ),
      agent: agentSchema,
      models: {
        type: "object",
        additionalProperties: modelSchema,
        description:
          "Models by name; `default` is used unless another one is named. The environment variables " +
          "WINDLASS_MODEL_PROVIDER, WINDLASS_MODEL_BASE_URL, WINDLASS_MODEL and WINDLASS_MODEL_API_KEY override it. " +
          "A model may reach its own address; tools may not.",
      },
      search: closed(
        {
          providers: {
            type: "array",
            items: { enum: ["searxng", "brave", "mediawiki", "duckduckgo", "corpus"] },
            description: "Search providers, in order of preference.",
          },
          searxng_url: { ...text, description: "URL of a SearXNG instance." },
          brave_api_key: { ...text, description: "Name of the secret with the key of the Brave Search API." },
          mediawiki_url: { ...text, description: "URL of the api.php of a MediaWiki." },
          corpus: { ...text, description: "Folder of texts in the workspace, for offline search." },
          duckduckgo: { ...flag, description: "Search with DuckDuckGo's HTML page. Default: false." },
          user_agent: { ...text, description: "User agent with your contact details, which large wikis require." },
        },
        "Search providers of web_search.",
      ),
      web: closed(
        {
          robots: { enum: ["respect", "ignore"], description: "Handling of robots.txt. Default: respect." },
          max_urls: { ...positive, description: "Maximum URLs of one web_fetch. Default: 50." },
        },
        "Fetching of web pages.",
      ),
      weather: closed(
        {
          forecast_url: {
            ...text,
            description: "URL of a forecast service with the API of Open-Meteo. Default: Open-Meteo.",
          },
          geocoding_url: {
            ...text,
            description: "URL of a geocoding service with the API of Open-Meteo. Default: Open-Meteo.",
          },
          api_key: { ...text, description: "Name of the secret with an Open-Meteo key, for subscribers." },
          default_place: { ...text, description: "Location used if a request names none." },
        },
        "Services and default location of get_weather.",
      ),
      vault: {
        title: "a folder, or { folder, watch }",
        anyOf: [
          text,
          closed(
            {
              folder: { ...text, description: "Folder of notes. Default: the workspace." },
              watch: {
                ...flag,
                description: "Update the index on file changes in long-running processes. Default: false.",
              },
            },
            "Folder of notes, and whether to watch it.",
          ),
        ],
        description: "Folder of notes for local_search. Default: the workspace.",
      },
      timezone: {
        ...text,
        description: "Time zone of tools that get none, such as Europe/Berlin. Default: that of the machine.",
      },
      network: closed(
        {
          allow: { ...texts, description: 'Private addresses that tools may reach, such as "127.0.0.1:8888".' },
          trusted_hosts: {
            ...texts,
            description:
              'Hosts such as "api.example.com" or "*.example.com" from which a call may request a URL decided by untrusted content without approval. Default: none.',
          },
        },
        "Network access of tools besides the public internet.",
      ),
      telemetry: closed(
        {
          enabled: {
            ...flag,
            description: "Create spans if an OpenTelemetry SDK is registered. Default: false.",
          },
          capture_content: {
            ...flag,
            description:
              "Record prompts, answers, arguments and outputs in spans, with secrets redacted. Default: false.",
          },
        },
        "OpenTelemetry traces of calls, runs and model requests.",
      ),
    },
    "Settings of a workspace. Every key is optional.",
  ),
};

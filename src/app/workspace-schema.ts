import type { JsonSchema } from "../schema/index.ts";
import { agentSchema } from "./agent-settings.ts";
import { hubSettings } from "./hub-settings.ts";
import { modelSchema } from "./model-schema.ts";

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text };
const flag = { type: "boolean" };
const positive = { type: "integer", minimum: 1 };
const seconds = { type: "number", exclusiveMinimum: 0 };

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
          max_concurrent: { ...positive, description: "Calls at once; 10 where absent." },
          queue_size: { type: "integer", minimum: 0, description: "Calls that may wait; 100 where absent." },
          default_timeout: { ...seconds, description: "Seconds a call may wait for a place; 30 where absent." },
          strategy: { enum: ["fifo", "priority", "reject"], description: "Who goes first when all places are taken." },
          bucket_limits: {
            type: "object",
            additionalProperties: positive,
            description: "Calls at once per category, such as { http: 5 }.",
          },
          rate_limits: {
            type: "object",
            additionalProperties: text,
            description: "Starts per category and time, such as { http: 10/s }.",
          },
        },
        "How much may run at once.",
      ),
      engine: closed(
        {
          tools_directory: { ...text, description: "Where tools are loaded from; tools where absent." },
          auto_reload: { ...flag, description: "Look for changed tools while running; true where absent." },
          reload_interval: { ...seconds, description: "Seconds between looks; 5 where absent." },
          watch_for_changes: { ...flag, description: "Be told of changes instead of looking; false where absent." },
          strict_validation: {
            ...flag,
            description: "Refuse parameters that a tool does not know; false where absent.",
          },
          timeout: { ...seconds, description: "Seconds a tool may take when it states no timeout; 30 where absent." },
          max_retries: {
            type: "integer",
            minimum: 0,
            description: "Attempts after a failure that is safe to retry; 3.",
          },
          enabled_tools: { ...texts, description: "Gated tools that may be used." },
          disabled_tools: { ...texts, description: "Tools that may not be used." },
        },
        "How tools are loaded and called.",
      ),
      permissions: closed(
        { deny: texts, ask: texts, allow: texts },
        "Rules tried in this order; the first that matches decides. A list that is absent keeps its default: " +
          'nothing is denied, ["model:destructive", "mcp:destructive"] is asked for, ["*"] is allowed.',
      ),
      secrets: {
        type: "object",
        additionalProperties: {
          title: "env, { env: NAME } or { file: path }",
          anyOf: [
            { enum: ["env"] },
            { ...closed({ env: text }, "Another environment variable."), required: ["env"] },
            { ...closed({ file: text }, "A file of the workspace."), required: ["file"] },
          ],
        },
        description: "Names of secrets and where their values are. Values never stand in this file.",
      },
      env: { ...texts, description: "Environment variables that chains may read; none where absent." },
      chains: closed(
        {
          directory: { ...text, description: "Where chains are loaded from; chains where absent." },
          durable: {
            ...flag,
            description: "Keep runs, so that they can be resumed, where a chain does not say; true where absent.",
          },
          max_parallel: { ...positive, description: "Steps of one run at once, where a chain does not say; 5." },
          taint: {
            enum: ["show", "strict"],
            description:
              "strict: refuse chains in which something from outside reaches a tool that may do harm, and nobody is " +
              "asked; no chain can loosen it. show where absent.",
          },
          trusted: {
            ...texts,
            description:
              "Tools whose results do not count as from outside: they are as good as what the tools are called with.",
          },
        },
        "How chains are loaded and run.",
      ),
      skills: closed(
        {
          directory: { ...text, description: "Where skills are loaded from; skills where absent." },
          code: {
            ...flag,
            description:
              "Load tools made of code and YAML from there too, which runs that code. Where absent they are not loaded, " +
              "and each file is told; false: the same without a word.",
          },
          trust_allowed_tools: {
            ...flag,
            description:
              "Let a skill that is in use have its allowed-tools called without asking, never against a deny rule; " +
              "false where absent.",
          },
          catalogue_chars: { ...positive, description: "Characters of the list of skills; 4,000 where absent." },
          instruction_chars: {
            ...positive,
            description: "Characters of instructions given at once; 20,000 where absent.",
          },
        },
        "How skills are loaded and used.",
      ),
      mcp: closed(
        {
          approvals: {
            enum: ["client", "operator"],
            description:
              "Who approves the calls of MCP clients that a rule asks about. client: the person at the client; operator: " +
              "only whoever has the workspace, with `windlass approve`. client where absent.",
          },
        },
        "How the workspace is served to MCP clients.",
      ),
      capabilities: closed(
        {
          directory: { ...text, description: "Where contracts are read from; capabilities where absent." },
          keywords: {
            type: "object",
            additionalProperties: texts,
            description: "More words by which a capability is known, such as { search: [检索, lookup] }.",
          },
          declare: {
            type: "object",
            additionalProperties: texts,
            description: 'What a server or a tool can stand in for, such as { "mcp:brave": [search] }.',
          },
        },
        "Which tools can stand in for each other.",
      ),
      hub: closed(
        Object.fromEntries(
          Object.entries(hubSettings).map(([key, { inSeconds, about }]) => [
            key,
            { ...(inSeconds ? seconds : positive), description: about },
          ]),
        ),
        "How one of several tools is chosen, and how their results are put together.",
      ),
      retention: closed(
        {
          days: { ...seconds, description: "Days that records are kept." },
          bytes: { title: "a size such as 500MB or 1GB", anyOf: [positive, text], description: "Size of all records." },
        },
        "How long records are kept; without it they are kept until pruned.",
      ),
      agent: agentSchema,
      models: {
        type: "object",
        additionalProperties: modelSchema,
        description:
          "Models by name; `default` is asked where nobody names another. WINDLASS_MODEL_PROVIDER, " +
          "WINDLASS_MODEL_BASE_URL, WINDLASS_MODEL and WINDLASS_MODEL_API_KEY in the environment name the default too, " +
          "and come first. The address of a model is open to it, and to no tool.",
      },
      search: closed(
        {
          providers: {
            type: "array",
            items: { enum: ["searxng", "brave", "mediawiki", "duckduckgo", "corpus"] },
            description: "Who is asked, and in which order.",
          },
          searxng_url: { ...text, description: "The address of a SearXNG instance." },
          brave_api_key: { ...text, description: "The name of a secret with a key of the Brave Search API." },
          mediawiki_url: { ...text, description: "The address of a wiki's api.php." },
          corpus: { ...text, description: "A folder of texts of the workspace, for searching offline." },
          duckduckgo: { ...flag, description: "Ask DuckDuckGo's page for people; false where absent." },
          user_agent: { ...text, description: "How a wiki may reach you, as large wikis ask for." },
        },
        "Where web_search looks.",
      ),
      web: closed(
        {
          robots: { enum: ["respect", "ignore"], description: "Whether robots.txt is respected; it is where absent." },
          max_urls: { ...positive, description: "Addresses of one crawl_batch; 50 where absent." },
        },
        "How pages are fetched.",
      ),
      weather: closed(
        {
          forecast_url: { ...text, description: "A forecast service of open-meteo's kind; open-meteo's where absent." },
          geocoding_url: { ...text, description: "A geocoding service of its kind; open-meteo's where absent." },
          api_key: { ...text, description: "The name of a secret with a key of open-meteo, for subscribers." },
          place: { ...text, description: "The place whose weather is given where a question names none." },
        },
        "Where get_weather looks.",
      ),
      vault: {
        title: "a folder, or { folder, watch }",
        anyOf: [
          text,
          closed(
            {
              folder: { ...text, description: "The folder; the workspace where absent." },
              watch: {
                ...flag,
                description: "Keep the index up to date in processes that stay open; false where absent.",
              },
            },
            "The folder of notes, and whether it is watched.",
          ),
        ],
        description: "The folder of notes for localSearch; the workspace where absent.",
      },
      timezone: { ...text, description: "Such as Europe/Berlin, for tools that are told none; the machine's." },
      network: closed(
        { allow: { ...texts, description: 'Private addresses that tools may reach, such as "127.0.0.1:8888".' } },
        "What tools may reach besides the public network.",
      ),
      telemetry: closed(
        {
          enabled: {
            ...flag,
            description: "Make spans, where an OpenTelemetry SDK is registered; false where absent.",
          },
          capture_content: {
            ...flag,
            description: "Put prompts, answers, arguments and outputs into them, secrets redacted; false where absent.",
          },
        },
        "Traces of calls, runs and questions to models, for OpenTelemetry.",
      ),
    },
    "Settings of a workspace. Every key is optional.",
  ),
};

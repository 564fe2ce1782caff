import { searchVariables } from "../../src/builtin/search/index.ts";
import { modelVariables } from "../../src/model/index.ts";

/** A group of tools on the page, with their requirements. */
export interface ToolGroup {
  readonly title: string;
  readonly about: string;
  readonly tools: readonly string[];
  /** Requirements by tool name; `*` for the other tools. */
  readonly needs: Readonly<Record<string, string>>;
}

const variables = (table: Readonly<Record<string, string>>): string =>
  Object.values(table)
    .map((name) => `\`${name}\``)
    .join(", ");

const model = `a model: ${variables(modelVariables)}, or \`model\` in \`windlass.yaml\``;
const network = "the network; private addresses only if `network.allow` permits them";
const folder = "nothing; it works in the workspace folder";
const notes = "nothing; the notes are in the folder that `vault` names (default: the workspace)";

/** The groups of the built-in tools. A tool without a group is listed under the others. */
export const toolGroups: readonly ToolGroup[] = [
  {
    title: "The web",
    about: "Addresses are checked before anything is sent, and after every redirect.",
    tools: ["web_search", "web_fetch", "http_request"],
    needs: {
      web_search: `one of ${variables(searchVariables)}, or \`search\` in \`windlass.yaml\`; a corpus works offline`,
      http_request: network,
      "*": `${network}; \`web\` in \`windlass.yaml\` sets robots.txt and the maximum number of addresses`,
    },
  },
  {
    title: "The world",
    about: "Data from public services.",
    tools: ["get_weather", "youtube_transcription"],
    needs: {
      get_weather: "the network (open-meteo.com, no key); nothing with `simulate`",
      youtube_transcription:
        "nothing for supplied captions; for a video, a transcript provider that is configured in code",
    },
  },
  {
    title: "Memory",
    about: "Memories are stored durably; `memory:` addresses can be read with web_fetch.",
    tools: ["memory_store", "memory_recall", "memory_forget", "get_conversation_history"],
    needs: { "*": "nothing" },
  },
  {
    title: "Notes",
    about: "A folder of Markdown notes, searched in English and Chinese.",
    tools: ["index_vault", "local_search", "read_note", "get_file_tree"],
    needs: { "*": notes },
  },
  {
    title: "Files",
    about: "No path leads out of the folder, not even through links.",
    tools: ["read_file", "write_file", "edit_file", "list_dir", "search_files"],
    needs: { "*": folder },
  },
  {
    title: "Data and time",
    about: "These work offline.",
    tools: ["calculator", "text_process", "json_process", "get_current_time", "get_time_range_ms", "pomodoro", "echo"],
    needs: {
      get_current_time: "nothing; the default zone is `timezone` in `windlass.yaml`",
      get_time_range_ms: "nothing; the default zone is `timezone` in `windlass.yaml`",
      "*": "nothing",
    },
  },
  {
    title: "Writing and code",
    about: "A file `prompts/NAME.md` in the workspace replaces the built-in prompt of a tool.",
    tools: [
      "llm_summarize",
      "outline_generator",
      "content_writer",
      "content_reviewer",
      "content_reviser",
      "llm_design",
      "code_generator",
      "code_reviewer",
      "code_fixer",
      "test_runner",
    ],
    needs: {
      llm_summarize: `nothing; with ${model}, the model writes the summary, otherwise it consists of sentences of the content`,
      test_runner: "Linux with bubblewrap 0.8 or newer; without it, the failure message explains what to install",
      "*": model,
    },
  },
  {
    title: "Discovery",
    about:
      "These give access to tools that are not listed in the request, to the rest of large results, to skills and to resources of MCP " +
      "servers. Their names are reserved.",
    tools: ["find_tools", "read_result", "skill", "skill_read", "mcp_resources", "mcp_read_resource"],
    needs: {
      find_tools: "nothing: [a thousand tools](../guide/hub.md#a-thousand-tools)",
      read_result: "a result view with a handle: [large results](../guide/hub.md#large-results)",
      skill: "a skill in the workspace: [how it is used](../guide/skills.md#how-it-is-used)",
      skill_read: "a skill in the workspace: [how it is used](../guide/skills.md#how-it-is-used)",
      "*": "an MCP server that has resources: [names](../guide/mcp.md#names)",
    },
  },
];

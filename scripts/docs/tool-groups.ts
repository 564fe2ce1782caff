import { searchVariables } from "../../src/builtin/search/index.ts";
import { modelVariables } from "../../src/model/index.ts";

/** Tools that belong together on their page, and what they need. */
export interface ToolGroup {
  readonly title: string;
  readonly about: string;
  readonly tools: readonly string[];
  /** By the name of a tool; `*` for the rest. */
  readonly needs: Readonly<Record<string, string>>;
}

const variables = (table: Readonly<Record<string, string>>): string =>
  Object.values(table)
    .map((name) => `\`${name}\``)
    .join(", ");

const model = `a model: ${variables(modelVariables)}, or \`model\` in \`windlass.yaml\``;
const network = "the network; private addresses only as `network.allow` opens them";
const folder = "nothing; it works in the folder of the workspace";
const notes = "nothing; notes lie in the folder that `vault` names, the workspace where absent";

/** Every tool that comes with Windlass, in its group. */
export const toolGroups: readonly ToolGroup[] = [
  {
    title: "The web",
    about: "Addresses are checked before anything is sent, and after every redirect.",
    tools: ["web_search", "web_fetch", "fetch_page", "parallel_fetch", "crawl_batch", "http_request"],
    needs: {
      web_search: `one of ${variables(searchVariables)}, or \`search\` in \`windlass.yaml\`; a corpus works offline`,
      http_request: network,
      parallel_fetch: `${network}; \`web\` in \`windlass.yaml\` sets robots.txt and how many addresses`,
      crawl_batch: `${network}; \`web\` in \`windlass.yaml\` sets robots.txt and how many addresses`,
      "*": `${network}; \`web.robots\` in \`windlass.yaml\` sets whether robots.txt is respected`,
    },
  },
  {
    title: "The world",
    about: "What services elsewhere know.",
    tools: ["get_weather", "youtubeTranscription"],
    needs: {
      get_weather: "the network (open-meteo.com, no key); nothing with `simulate`",
      youtubeTranscription: "nothing for supplied captions; for a video, a transcript provider given in code",
    },
  },
  {
    title: "Memory",
    about: "What is kept survives the process; `memory:` addresses can be read with web_fetch.",
    tools: ["memory_store", "memory_recall", "memory_forget", "get_conversation_history"],
    needs: { "*": "nothing" },
  },
  {
    title: "Notes",
    about: "A folder of Markdown notes, searched in English and Chinese.",
    tools: ["indexVault", "localSearch", "read_note", "getFileTree"],
    needs: { "*": notes },
  },
  {
    title: "Files",
    about: "No path leads out of the folder, by links neither.",
    tools: ["read_file", "write_file", "edit_file", "list_dir", "search_files"],
    needs: { "*": folder },
  },
  {
    title: "Data and time",
    about: "These work offline.",
    tools: [
      "calculator",
      "text_process",
      "json_process",
      "get_time",
      "getCurrentTime",
      "getTimeRangeMs",
      "pomodoro",
      "echo",
    ],
    needs: {
      get_time: "nothing; `timezone` in `windlass.yaml` where it is told none",
      getCurrentTime: "nothing; `timezone` in `windlass.yaml` where it is told none",
      getTimeRangeMs: "nothing; `timezone` in `windlass.yaml` where it is told none",
      "*": "nothing",
    },
  },
  {
    title: "Writing and code",
    about: "A file `prompts/NAME.md` of the workspace stands in for the prompt that comes with a tool.",
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
      llm_summarize: `nothing; with ${model}, that writes the summary, else it is made of the content's own sentences`,
      test_runner: "Linux with bubblewrap 0.8 or newer; without it, the answer says what to install",
      "*": model,
    },
  },
  {
    title: "The way to the rest",
    about:
      "These lead to tools that a model was not shown, to the rest of large results, to skills and to resources of MCP " +
      "servers. No server can take their names.",
    tools: ["find_tools", "read_result", "skill", "skill_read", "mcp_resources", "mcp_read_resource"],
    needs: {
      find_tools: "nothing: [a thousand tools](../guide/hub.md#a-thousand-tools)",
      read_result: "a view with a handle: [large results](../guide/hub.md#large-results)",
      skill: "a skill in the workspace: [how it is used](../guide/skills.md#how-it-is-used)",
      skill_read: "a skill in the workspace: [how it is used](../guide/skills.md#how-it-is-used)",
      "*": "an MCP server that has resources: [names](../guide/mcp.md#names)",
    },
  },
];

import { findToolsName, readResultName } from "../../hub/index.ts";

/** Tools that most questions need: a model that cannot be told of all is told of these first. */
export const coreTools: readonly string[] = [
  findToolsName,
  readResultName,
  "localSearch",
  "web_search",
  "fetch_page",
  "calculator",
  "getCurrentTime",
  "getTimeRangeMs",
  "get_conversation_history",
];

/** Of the tools that come with this program, those that tell only what it knows itself. */
export const ownWordTools: ReadonlySet<string> = new Set([
  findToolsName,
  "getCurrentTime",
  "getTimeRangeMs",
  "pomodoroTool",
]);

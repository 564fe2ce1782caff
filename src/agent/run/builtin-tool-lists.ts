import { findToolsName, readResultName } from "../../hub/index.ts";

/** Tools that most prompts need: offered first if not all tools can be offered. */
export const coreTools: readonly string[] = [
  findToolsName,
  readResultName,
  "local_search",
  "web_search",
  "web_fetch",
  "calculator",
  "get_current_time",
  "get_time_range_ms",
  "get_conversation_history",
];

/** Built-in tools that return only data of this program, and no untrusted content. */
export const trustedBuiltinTools: ReadonlySet<string> = new Set([
  findToolsName,
  "get_current_time",
  "get_time_range_ms",
]);

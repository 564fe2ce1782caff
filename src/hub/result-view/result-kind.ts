import type { ToolInfo } from "../../tool/index.ts";

/** What a result is, as far as it decides how much of it is shown. */
export type ResultKind = "calculate" | "time" | "search" | "history" | "other";

/** In order: a tool that says several is the first of them. */
const kinds: readonly (readonly [kind: ResultKind, words: ReadonlySet<string>])[] = [
  ["history", new Set(["history", "历史", "get_conversation_history"])],
  ["calculate", new Set(["calculate", "calculator", "计算"])],
  ["time", new Set(["time", "date", "时间", "日期", "get_time"])],
  ["search", new Set(["search", "research", "搜索", "web_search", "search_web"])],
];

/** The kind of what a tool gives, by its name, its other names and its capabilities. */
export function resultKind(tool: Pick<ToolInfo, "name" | "aliases" | "capabilities">): ResultKind {
  const said = [tool.name.slice(tool.name.indexOf("/") + 1), ...tool.aliases, ...tool.capabilities];
  return kinds.find(([, words]) => said.some((word) => words.has(word)))?.[0] ?? "other";
}

import type { ToolInfo } from "../../tool/index.ts";

/** Kind of a result, which decides how much of it is shown. */
export type ResultKind = "calculate" | "time" | "search" | "history" | "other";

/** In order of precedence, if a tool matches several. */
const kinds: readonly (readonly [kind: ResultKind, words: ReadonlySet<string>])[] = [
  ["history", new Set(["history", "历史"])],
  ["calculate", new Set(["calculate", "calculator", "计算"])],
  ["time", new Set(["time", "date", "时间", "日期", "get_time"])],
  ["search", new Set(["search", "research", "搜索", "web_search", "search_web"])],
];

/** The kind of a tool's results, by its name, its aliases and its capabilities. */
export function resultKind(tool: Pick<ToolInfo, "name" | "aliases" | "capabilities">): ResultKind {
  const text = [tool.name.slice(tool.name.indexOf("/") + 1), ...tool.aliases, ...tool.capabilities];
  return kinds.find(([, words]) => text.some((word) => words.has(word)))?.[0] ?? "other";
}

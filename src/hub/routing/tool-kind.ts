/** Kind of a tool, which decides how several candidates are used. */
export type ToolKind = "calculate" | "time" | "search" | "extract" | "other";

/** Every {@link ToolKind}. */
export const toolKinds: readonly ToolKind[] = ["calculate", "time", "search", "extract", "other"];

const kindOfCapability: ReadonlyMap<string, ToolKind> = new Map([
  ["calculate", "calculate"],
  ["计算", "calculate"],
  ["time", "time"],
  ["date", "time"],
  ["时间", "time"],
  ["日期", "time"],
  ["search", "search"],
  ["搜索", "search"],
  ["web", "search"],
  ["research", "search"],
  ["extract", "extract"],
  ["提取", "extract"],
]);

/** The kind of a tool with these capabilities; if they match several, the first in the list. */
export function kindOf(capabilities: Iterable<string>): ToolKind {
  const text = new Set([...capabilities].map((capability) => kindOfCapability.get(capability)));
  return toolKinds.find((kind) => text.has(kind)) ?? "other";
}

/** Strategy for candidates: the first that succeeds, all of them together, or one after another. */
export type ChoiceStrategy = "pick_best" | "synthesise" | "in_turn";

/**
 * The strategy for this number of candidates of a kind. Two are assumed to be equivalent: they have one name or one
 * capability.
 */
export function choiceStrategyFor(kind: ToolKind, count: number): ChoiceStrategy {
  if (count < 2) return "in_turn";
  if (kind === "calculate" || kind === "time") return "pick_best";
  return kind === "search" || kind === "extract" || count === 2 ? "synthesise" : "in_turn";
}

/** What decides how several candidates are used: by what they do. */
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

/** The kind of a tool with these capabilities; the first kind of the list, where they say several. */
export function kindOf(capabilities: Iterable<string>): ToolKind {
  const said = new Set([...capabilities].map((capability) => kindOfCapability.get(capability)));
  return toolKinds.find((kind) => said.has(kind)) ?? "other";
}

/** How candidates are used: the first that succeeds, all of them together, or one after another. */
export type Strategy = "pick_best" | "synthesise" | "in_turn";

/** How so many candidates of a kind are used. Two are taken to be alike: they have one name or one capability. */
export function strategyFor(kind: ToolKind, count: number): Strategy {
  if (count < 2) return "in_turn";
  if (kind === "calculate" || kind === "time") return "pick_best";
  return kind === "search" || kind === "extract" || count === 2 ? "synthesise" : "in_turn";
}

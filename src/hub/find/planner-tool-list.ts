import type { AnyTool, Registration } from "../../tool/index.ts";
import { findToolsName } from "./find-tools-tool.ts";
import { firstSentence } from "./first-sentence.ts";
import type { CatalogueTools } from "./tool-catalogue-for-prompt.ts";

/** What a planner may always choose; `none` is no tool, but to think without one. */
export const plannerCore: readonly string[] = [
  "none",
  "search_web",
  "calculate",
  "get_time",
  "get_conversation_history",
];

/** What {@link plannerToolList} takes. */
export interface PlannerListOptions {
  /** Names that are always shown; {@link plannerCore} where absent. */
  readonly core?: readonly string[] | undefined;
  /** How many others are shown at most; 10 where absent. */
  readonly mostOthers?: number | undefined;
  /** Only these; all where absent. */
  readonly isOffered?: ((tool: AnyTool) => boolean) | undefined;
}

/** What a planner is told of the tools. */
export interface PlannerToolList {
  readonly text: string;
  /** Every name in the text; a plan may also name any other tool. */
  readonly names: readonly string[];
  /** How many tools are not shown. */
  readonly more: number;
  /** Core names that no tool has. */
  readonly missing: readonly string[];
}

const mostOthers = 10;
const longestLine = 160;

/**
 * The tools as a planner is told them: the core ones, a few others, and how many there are besides.
 *
 * @example
 * ```ts
 * plannerToolList(registry).text; // "- none: think, without a tool\n- search_web: Searches the web …"
 * ```
 */
export function plannerToolList(registry: CatalogueTools, options: PlannerListOptions = {}): PlannerToolList {
  const { core = plannerCore, mostOthers: most = mostOthers, isOffered = () => true } = options;
  const known = core.map((name) => ({ name, tool: registry.resolve(name)?.tool }));
  const shown = known.filter(({ name, tool }) => name === "none" || (tool !== undefined && isOffered(tool)));
  const coreTools = new Set(shown.map(({ tool }) => tool));
  const others = registry
    .list()
    .filter(({ tool }) => !coreTools.has(tool) && isOffered(tool))
    .toSorted(byPriority);
  const lines = [
    ...shown.map(({ name, tool }) => lineOf(name, tool)),
    ...others.slice(0, most).map(({ tool }) => lineOf(tool.name, tool)),
  ];
  const more = Math.max(0, others.length - most);
  const found = registry.resolve(findToolsName) === undefined ? "" : `; ${findToolsName} finds them`;
  if (more > 0) lines.push(`(and ${more} more, callable by name${found})`);
  return {
    text: lines.join("\n"),
    names: [...shown.map(({ name }) => name), ...others.slice(0, most).map(({ tool }) => tool.name)],
    more,
    missing: known.filter(({ name, tool }) => name !== "none" && tool === undefined).map(({ name }) => name),
  };
}

/** The workspace's own before those of others; the list is in the order of names already, and stays so among equals. */
function byPriority(a: Registration, b: Registration): number {
  return a.priority - b.priority;
}

function lineOf(name: string, tool: AnyTool | undefined): string {
  if (tool === undefined) return `- ${name}: think, without a tool`;
  return `- ${name}: ${firstSentence(tool.description, longestLine)}`;
}

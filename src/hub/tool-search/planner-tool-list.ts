import type { Language } from "../../text/index.ts";
import { type AnyTool, type Registration, isWorkspaceTool } from "../../tool/index.ts";
import { findToolsName } from "./find-tools-tool.ts";
import { firstSentence } from "./tool-fields.ts";
import type { CatalogueTools } from "./tool-catalogue-for-prompt.ts";

/** Tools that a planner may always choose; `none` is not a tool, but means to think without one. */
export const plannerCore: readonly string[] = "none search_web calculate get_time get_conversation_history".split(" ");

/** Options of {@link plannerToolList}. */
export interface PlannerListOptions {
  /** Names that are always shown. Default: {@link plannerCore}. */
  readonly core?: readonly string[] | undefined;
  /** Maximum number of other tools. Default: 10. */
  readonly maxOthers?: number | undefined;
  /** Order of the other tools. Default: the workspace's own first, then by priority and name. */
  readonly order?: readonly AnyTool[] | undefined;
  /** Filter of the tools. Default: all. */
  readonly isOffered?: ((tool: AnyTool) => boolean) | undefined;
  /** Language of the lines besides the tools: that of the conversation. Default: `en`. */
  readonly language?: Language | undefined;
}

/** The tools in the prompt of a planner. */
export interface PlannerToolList {
  readonly text: string;
  /** Every name in the text; a plan may also name any other tool. */
  readonly names: readonly string[];
  /** Number of tools that are not shown. */
  readonly more: number;
  /** Core names that no tool has. */
  readonly missing: readonly string[];
}

const maxOthers = 10;
const maxLineLength = 160;

/**
 * The tools in the prompt of a planner: the core ones, a few others, and the number of the rest.
 *
 * @example
 * ```ts
 * plannerToolList(registry).text; // "- none: think, without a tool\n- search_web: Searches the web …"
 * ```
 */
export function plannerToolList(registry: CatalogueTools, options: PlannerListOptions = {}): PlannerToolList {
  const { core = plannerCore, maxOthers: limit = maxOthers, isOffered = () => true, language = "en" } = options;
  const known = core.map((name) => ({ name, tool: registry.resolve(name)?.tool }));
  const shown = known.filter(({ name, tool }) => name === "none" || (tool !== undefined && isOffered(tool)));
  const coreTools = new Set(shown.map(({ tool }) => tool?.formOf ?? tool));
  const others = registry
    .list()
    .filter(({ tool }) => !coreTools.has(tool) && isOffered(tool))
    .toSorted(options.order === undefined ? byPriority : byOrder(options.order));
  const lines = [
    ...shown.map(({ name, tool }) => lineOf(name, tool, language)),
    ...others.slice(0, limit).map(({ tool }) => lineOf(tool.name, tool, language)),
  ];
  const more = Math.max(0, others.length - limit);
  if (more > 0) lines.push(moreLine[language](more, registry.resolve(findToolsName) !== undefined));
  return {
    text: lines.join("\n"),
    names: [...shown.map(({ name }) => name), ...others.slice(0, limit).map(({ tool }) => tool.name)],
    more,
    missing: known.filter(({ name, tool }) => name !== "none" && tool === undefined).map(({ name }) => name),
  };
}

/** The workspace's own before those of others; the list is in the order of names already, and stays so among equals. */
function byPriority(a: Registration, b: Registration): number {
  return Number(isWorkspaceTool(b)) - Number(isWorkspaceTool(a)) || a.priority - b.priority;
}

function byOrder(order: readonly AnyTool[]): (a: Registration, b: Registration) => number {
  const positions = new Map(order.map((tool, index) => [tool, index]));
  const positionOf = ({ tool }: Registration): number => positions.get(tool) ?? order.length;
  return (a, b) => positionOf(a) - positionOf(b);
}

const moreLine: Readonly<Record<Language, (more: number, canFind: boolean) => string>> = {
  en: (more, canFind) => `(and ${more} more, callable by name${canFind ? `; ${findToolsName} finds them` : ""})`,
  zh: (more, canFind) =>
    `（还有 ${more} 个其他工具，可通过工具名称直接调用${canFind ? `；用 ${findToolsName} 查找` : ""}）`,
};
const noToolText: Readonly<Record<Language, string>> = {
  en: "think, without a tool",
  zh: "不使用工具，直接思考",
};

function lineOf(name: string, tool: AnyTool | undefined, language: Language): string {
  if (tool === undefined) return `- ${name}: ${noToolText[language]}`;
  return `- ${name}: ${firstSentence(tool.description, maxLineLength)}`;
}

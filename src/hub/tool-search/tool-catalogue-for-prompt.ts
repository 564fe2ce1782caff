import { estimateTokens, stripUnsafe } from "../../text/index.ts";
import type { AnyTool, Registration } from "../../tool/index.ts";
import { parameterSummary } from "./describe-tool.ts";
import { findToolsName } from "./find-tools-tool.ts";
import { firstSentence } from "./first-sentence.ts";

/** The tools that a prompt is made from: a registry. */
export interface CatalogueTools {
  resolve(name: string): Registration | undefined;
  list(): readonly Registration[];
}

/** What {@link toolCatalogueForPrompt} takes. */
export interface CatalogueOptions {
  /** Tools that are told whole, by name or alias, the most important first. */
  readonly core: readonly string[];
  /** About so many tokens at most; the way to the other tools is told in any case. 1,000 where absent. */
  readonly budgetTokens?: number | undefined;
  /** Only these; all where absent. */
  readonly isOffered?: ((tool: AnyTool) => boolean) | undefined;
}

/** What a model is told of the tools at first. */
export interface PromptCatalogue {
  readonly text: string;
  /** The tools in the text, to be declared to the model. */
  readonly tools: readonly AnyTool[];
  /** How many there are besides. */
  readonly more: number;
  /** What the text takes, by estimate. */
  readonly tokens: number;
}

const usualBudget = 1000;
const longestShort = 200;

/**
 * What a model needs to know of the tools at first: the core tools, how to find the others, and how many those are. The
 * text is the same for as long as these are the same, so that prompts can be cached.
 *
 * @example
 * ```ts
 * const { text, tools } = toolCatalogueForPrompt(registry, { core: ["search_web", "calculate"], budgetTokens: 800 });
 * ```
 */
export function toolCatalogueForPrompt(registry: CatalogueTools, options: CatalogueOptions): PromptCatalogue {
  const { core, budgetTokens = usualBudget, isOffered = () => true } = options;
  const offered = registry.list().filter(({ tool }) => isOffered(tool));
  const door = offered.find(({ tool }) => tool.name === findToolsName)?.tool;
  const wanted = new Set(core.flatMap((name) => registry.resolve(name)?.tool ?? []).filter(isOffered));
  if (door !== undefined) wanted.delete(door);
  const lines = new Map<AnyTool, string>();
  const fixed = [...(door === undefined ? [] : [wholeEntry(door)]), moreLine(offered.length, door !== undefined)];
  let left = budgetTokens - estimateTokens(fixed.join("\n"));
  for (const tool of wanted) {
    const entry = [wholeEntry(tool), shortEntry(tool)].find((text) => estimateTokens(text) + 1 <= left);
    if (entry === undefined) continue;
    left -= estimateTokens(entry) + 1;
    lines.set(tool, entry);
  }
  if (door !== undefined) lines.set(door, wholeEntry(door));
  const more = offered.length - lines.size;
  const text = [...lines.values(), ...(more > 0 ? [moreLine(more, door !== undefined)] : [])].join("\n");
  return { text, tools: [...lines.keys()], more, tokens: estimateTokens(text) };
}

/** A tool as a list for a model tells it whole. */
export function wholeEntry(tool: AnyTool): string {
  return `- ${tool.name}(${parameterSummary(tool)}): ${stripUnsafe(tool.description).replaceAll(/\s+/g, " ").trim()}`;
}

function shortEntry(tool: AnyTool): string {
  return `- ${tool.name}(${parameterSummary(tool)}): ${firstSentence(tool.description, longestShort)}`;
}

function moreLine(count: number, canFind: boolean): string {
  const how = canFind ? `${findToolsName} tells which of them does what you need; each is called by its name` : "";
  return `And ${count} more${how === "" ? ", each called by its name" : `: ${how}`}.`;
}

import { type Language, estimateTokens, stripUnsafe } from "../../text/index.ts";
import type { AnyTool, Registration } from "../../tool/index.ts";
import { parameterSummary, findToolsName } from "./find-tools-tool.ts";
import { firstSentence } from "./tool-fields.ts";

/** The tools that a prompt is made from: a registry. */
export interface CatalogueTools {
  resolve(name: string): Registration | undefined;
  list(): readonly Registration[];
}

/** Options of {@link toolCatalogueForPrompt}. */
export interface CatalogueOptions {
  /** Tools with a full entry, by name or alias, the most important first. */
  readonly core: readonly string[];
  /** Approximate maximum of tokens; the line about the other tools is always included. Default: 1,000. */
  readonly budgetTokens?: number | undefined;
  /** Filter of the tools. Default: all. */
  readonly isOffered?: ((tool: AnyTool) => boolean) | undefined;
  /** Language of the line about the other tools: that of the conversation. Default: `en`. */
  readonly language?: Language | undefined;
}

/** The tools in the first prompt of a model. */
export interface PromptCatalogue {
  readonly text: string;
  /** The tools in the text, to be declared to the model. */
  readonly tools: readonly AnyTool[];
  /** Number of other tools. */
  readonly more: number;
  /** Estimated tokens of the text. */
  readonly tokens: number;
}

const defaultBudget = 1000;
const maxShortLength = 200;

/**
 * The tools that a model needs to know at first: the core tools, how to find the others, and their number. The text is
 * stable as long as these are the same, so that prompts can be cached.
 *
 * @example
 * ```ts
 * const { text, tools } = toolCatalogueForPrompt(registry, { core: ["search_web", "calculate"], budgetTokens: 800 });
 * ```
 *
 * @see docs/guide/hub.md
 */
export function toolCatalogueForPrompt(registry: CatalogueTools, options: CatalogueOptions): PromptCatalogue {
  const { core, budgetTokens = defaultBudget, isOffered = () => true, language = "en" } = options;
  const offered = registry.list().filter(({ tool }) => isOffered(tool));
  const finderTool = offered.find(({ tool }) => tool.name === findToolsName)?.tool;
  const found = core.flatMap((name) => registry.resolve(name)?.tool ?? []);
  const terms = new Set(found.map((tool) => tool.formOf ?? tool).filter(isOffered));
  if (finderTool !== undefined) terms.delete(finderTool);
  const lines = new Map<AnyTool, string>();
  const fixed = [
    ...(finderTool === undefined ? [] : [fullCatalogueEntry(finderTool)]),
    moreLine[language](offered.length, finderTool !== undefined),
  ];
  let left = budgetTokens - estimateTokens(fixed.join("\n"));
  for (const tool of terms) {
    const entry = [fullCatalogueEntry(tool), shortEntry(tool)].find((text) => estimateTokens(text) + 1 <= left);
    if (entry === undefined) continue;
    left -= estimateTokens(entry) + 1;
    lines.set(tool, entry);
  }
  if (finderTool !== undefined) lines.set(finderTool, fullCatalogueEntry(finderTool));
  const more = offered.length - lines.size;
  const text = [...lines.values(), ...(more > 0 ? [moreLine[language](more, finderTool !== undefined)] : [])].join(
    "\n",
  );
  return { text, tools: [...lines.keys()], more, tokens: estimateTokens(text) };
}

/** The full entry of a tool in a list for a model. */
export function fullCatalogueEntry(tool: AnyTool): string {
  return `- ${tool.name}(${parameterSummary(tool)}): ${stripUnsafe(tool.description).replaceAll(/\s+/g, " ").trim()}`;
}

function shortEntry(tool: AnyTool): string {
  return `- ${tool.name}(${parameterSummary(tool)}): ${firstSentence(tool.description, maxShortLength)}`;
}

const moreLine: Readonly<Record<Language, (count: number, canFind: boolean) => string>> = {
  en: (count, canFind) => {
    const how = canFind ? `${findToolsName} finds those that do what you need; each is called by its name` : "";
    return `And ${count} more${how === "" ? ", each called by its name" : `: ${how}`}.`;
  },
  zh: (count, canFind) =>
    `还有 ${count} 个其他工具，可通过工具名称直接调用${canFind ? `；用 ${findToolsName} 按用途查找` : ""}。`,
};

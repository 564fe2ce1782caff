import type { FileAccess } from "../file/index.ts";
import { suggestHint } from "../text/index.ts";
import type { AnyTool, ToolOffer } from "../tool/index.ts";
import type { Vault } from "./vault/vault.ts";
import { builtinRegistry } from "./builtin-registry.ts";
import { calculatorTool } from "./calculator-tool.ts";
import { jsonProcessTool } from "./data/json-process-tool.ts";
import { textProcessTool } from "./data/text-process-tool.ts";
import { editFileTool } from "./files/edit-file-tool.ts";
import { listDirTool } from "./files/list-dir-tool.ts";
import { readFileTool } from "./files/read-file-tool.ts";
import { searchFilesTool } from "./files/search-files-tool.ts";
import { writeFileTool } from "./files/write-file-tool.ts";
import { type BuiltinServices, type BuiltinServiceOptions, createBuiltinServices } from "./services.ts";
import { getFileTreeTool } from "./vault/get-file-tree-tool.ts";
import { indexVaultTool } from "./vault/index-vault-tool.ts";
import { readNoteTool } from "./vault/read-note-tool.ts";

/** A category of built-in tools. */
export type BuiltinCategory =
  | "ai"
  | "crawler"
  | "data"
  | "file"
  | "general"
  | "http"
  | "media"
  | "search"
  | "time"
  | "weather";

/** Options of {@link builtinTools}. */
export interface BuiltinToolOptions extends BuiltinServiceOptions {
  /** Only the tools of these categories. Default: all. */
  readonly categories?: readonly BuiltinCategory[];
}

/**
 * Returns every built-in tool, or those of some categories, ready to be registered. With only an HTTP client, their data
 * is stored in memory, and no folder is accessible to them.
 *
 * @example
 * ```ts
 * for (const tool of builtinTools({ http: createHttpClient() })) registry.register(tool, { owner: "builtin" });
 * ```
 *
 * @see docs/guide/built-in-tools.md
 */
export function builtinTools({ categories, ...options }: BuiltinToolOptions): AnyTool[] {
  const tools = builtinOffers(options).map(({ make }) => make());
  if (categories === undefined) return tools;
  checkCategories(categories, new Set(tools.map(({ category }) => category)));
  const requested = new Set<string>(categories);
  return tools.filter(({ category }) => requested.has(category));
}

/** Programs in plain JavaScript may pass anything. */
function checkCategories(categories: unknown, known: ReadonlySet<string>): void {
  const all = [...known].toSorted();
  if (!Array.isArray(categories) || !categories.every((name) => typeof name === "string"))
    throw new TypeError(`categories must be a list of names; categories: ${all.join(", ")}`);
  const unknown = categories.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const hint = suggestHint(unknown, all) ?? `categories: ${all.join(", ")}`;
  throw new RangeError(`there is no category "${unknown}" of built-in tools; ${hint}`);
}

/**
 * Returns the tools that search the web and read pages: `web_search` and `web_fetch`.
 *
 * @example
 * ```ts
 * const engine = createEngine({ tools: createCrawlerTools({ http: createHttpClient() }) });
 * ```
 *
 * @see docs/guide/built-in-tools.md
 */
export function createCrawlerTools(options: BuiltinServiceOptions): AnyTool[] {
  return builtinTools({ ...options, categories: ["crawler"] });
}

/**
 * Returns the tools for numbers, texts and JSON: `calculator`, `text_process` and `json_process`.
 *
 * @see docs/guide/built-in-tools.md
 */
export function createDataTools(): AnyTool[] {
  return [calculatorTool, textProcessTool, jsonProcessTool];
}

/** Services of {@link createFileTools}. */
export interface FileToolServices {
  /** The folders that the tools may read and write. */
  readonly files: FileAccess;
  /** The folder of notes; without it, the tools for notes are omitted. */
  readonly vault?: Vault;
}

/**
 * Returns the tools for files, and with a vault those for the files of notes.
 *
 * @see docs/guide/built-in-tools.md
 */
export function createFileTools({ files, vault }: FileToolServices): AnyTool[] {
  const notes =
    vault === undefined ? [] : [indexVaultTool({ vault }), readNoteTool({ vault }), getFileTreeTool({ vault })];
  return [
    readFileTool({ files }),
    writeFileTool({ files }),
    editFileTool({ files }),
    listDirTool({ files }),
    searchFilesTool({ files }),
    ...notes,
  ];
}

/** Same as {@link builtinTools}, with each tool created on first use: a call of one tool waits for no other. */
export function builtinOffers(options: BuiltinServiceOptions): ToolOffer[] {
  let services: BuiltinServices | undefined;
  return builtinRegistry.map(({ make, ...names }) => {
    let made: AnyTool | undefined;
    return { ...names, make: () => (made ??= make((services ??= createBuiltinServices(options)))) };
  });
}

let definitions: readonly ToolOffer[] | undefined;

/** The built-in tools for checks of their definitions; a call has no network access. */
export function builtinDefinitions(): readonly ToolOffer[] {
  return (definitions ??= builtinOffers({
    http: { request: () => Promise.reject(new Error("a check sends no requests")), close: () => Promise.resolve() },
  }));
}

/** Every name and alias. */
export const builtinToolNames: readonly string[] = builtinRegistry.flatMap(({ name, aliases }) => [name, ...aliases]);

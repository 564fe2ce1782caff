import type { FileAccess } from "../file/index.ts";
import { suggest } from "../text/index.ts";
import type { AnyTool, ToolOffer } from "../tool/index.ts";
import type { Vault } from "./vault/vault.ts";
import { type BuiltinName, builtinAliases, builtinForms } from "./builtin-names.ts";
import { calculatorTool } from "./calculator-tool.ts";
import { jsonProcessTool } from "./data/json-process-tool.ts";
import { textProcessTool } from "./data/text-process-tool.ts";
import { echoTool } from "./echo-tool.ts";
import { editFileTool } from "./files/edit-file-tool.ts";
import { listDirTool } from "./files/list-dir-tool.ts";
import { readFileTool } from "./files/read-file-tool.ts";
import { searchFilesTool } from "./files/search-files-tool.ts";
import { writeFileTool } from "./files/write-file-tool.ts";
import { httpRequestTool } from "./http-request-tool.ts";
import { conversationHistoryTool } from "./memory/conversation-history-tool.ts";
import { memoryForgetTool } from "./memory/memory-forget-tool.ts";
import { memoryRecallTool } from "./memory/memory-recall-tool.ts";
import { memoryStoreTool } from "./memory/memory-store-tool.ts";
import { missingPrograms } from "./sandbox/sandbox-programs.ts";
import { testRunnerTool } from "./sandbox/test-runner-tool.ts";
import { noProviderMessage } from "./search/search.ts";
import { webSearchTool } from "./search/web-search-tool.ts";
import { type BuiltinServices, type BuiltinServiceOptions, createBuiltinServices, isNoVault } from "./services.ts";
import { getCurrentTimeTool } from "./time/get-current-time-tool.ts";
import { getTimeRangeMsTool } from "./time/get-time-range-ms-tool.ts";
import { pomodoroTool } from "./time/pomodoro-tool.ts";
import { getFileTreeTool } from "./vault/get-file-tree-tool.ts";
import { indexVaultTool } from "./vault/index-vault-tool.ts";
import { localSearchTool } from "./vault/local-search-tool.ts";
import { readNoteTool } from "./vault/read-note-tool.ts";
import { webFetchTool } from "./web/web-fetch-tool.ts";
import { getWeatherTool } from "./weather/get-weather-tool.ts";
import { youtubeTranscriptionTool } from "./transcript/youtube-transcription-tool.ts";
import { llmSummarizeTool } from "./writing/llm-summarize-tool.ts";
import { writingTool } from "./writing/writing-tools.ts";

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
  const near = suggest(unknown, all);
  const hint = near === undefined ? `categories: ${all.join(", ")}` : `did you mean "${near}"?`;
  throw new RangeError(`there is no category "${unknown}" of built-in tools; ${hint}`);
}

/**
 * Returns the tools that search the web and read pages: `web_search` and `web_fetch`.
 *
 * @example
 * ```ts
 * const engine = createEngine({ tools: createCrawlerTools({ http: createHttpClient() }) });
 * ```
 */
export function createCrawlerTools(options: BuiltinServiceOptions): AnyTool[] {
  return builtinTools({ ...options, categories: ["crawler"] });
}

/** Returns the tools for numbers, texts and JSON: `calculator`, `text_process` and `json_process`. */
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

/** Returns the tools for files, and with a vault those for the files of notes. */
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
  let makers: Makers | undefined;
  return Object.entries(builtinAliases).map(([name, aliases]) => {
    let made: AnyTool | undefined;
    const make = (): AnyTool => {
      services ??= createBuiltinServices(options);
      makers ??= makersOf(services);
      // The keys of the aliases are the names of the makers.
      return (made ??= withNeeds(makers[name as BuiltinName](), services));
    };
    return { name, aliases, forms: builtinForms[name as BuiltinName] ?? [], make };
  });
}

type Makers = Readonly<Record<BuiltinName, () => AnyTool>>;

function makersOf(services: BuiltinServices): Makers {
  const { records, messages } = services;
  return {
    echo: () => echoTool,
    calculator: () => calculatorTool,
    http_request: () => httpRequestTool(services),
    web_search: () => webSearchTool(services),
    web_fetch: () => webFetchTool(services),
    get_weather: () => getWeatherTool(services),
    youtube_transcription: () => youtubeTranscriptionTool(services),
    memory_store: () => memoryStoreTool(services),
    memory_recall: () => memoryRecallTool(services),
    memory_forget: () => memoryForgetTool(services),
    get_conversation_history: () =>
      conversationHistoryTool({
        get records() {
          return records();
        },
        ...(messages && { messages }),
      }),
    index_vault: () => indexVaultTool(services),
    local_search: () => localSearchTool(services),
    read_note: () => readNoteTool(services),
    get_file_tree: () => getFileTreeTool(services),
    read_file: () => readFileTool(services),
    write_file: () => writeFileTool(services),
    edit_file: () => editFileTool(services),
    list_dir: () => listDirTool(services),
    search_files: () => searchFilesTool(services),
    text_process: () => textProcessTool,
    json_process: () => jsonProcessTool,
    get_current_time: () => getCurrentTimeTool(services),
    get_time_range_ms: () => getTimeRangeMsTool(services),
    pomodoro: () => pomodoroTool(services),
    test_runner: () => testRunnerTool(services),
    llm_summarize: () => llmSummarizeTool(services),
    llm_design: () => writingTool("llm_design", services),
    code_generator: () => writingTool("code_generator", services),
    code_reviewer: () => writingTool("code_reviewer", services),
    code_fixer: () => writingTool("code_fixer", services),
    outline_generator: () => writingTool("outline_generator", services),
    content_writer: () => writingTool("content_writer", services),
    content_reviewer: () => writingTool("content_reviewer", services),
    content_reviser: () => writingTool("content_reviser", services),
  };
}

/** Tools that cannot work without a folder of notes. */
const needVault: ReadonlySet<string> = new Set(["index_vault", "local_search", "read_note", "get_file_tree"]);

/** Declares what a tool needs and may be missing; `unavailable` then states the reason. */
function withNeeds(tool: AnyTool, services: BuiltinServices): AnyTool {
  const unavailable = needOf(tool.name, services);
  return unavailable === undefined ? tool : Object.freeze({ ...tool, unavailable });
}

/** The reasons state what is missing, then after a semicolon what to do. */
function needOf(name: string, services: BuiltinServices): AnyTool["unavailable"] {
  const { search, vault } = services;
  if (name === "web_search") {
    return () => {
      const status = search.status();
      return status.some(({ missing }) => missing.length === 0) ? undefined : noProviderMessage(status);
    };
  }
  if (name === "test_runner") return () => missingPrograms();
  if (needVault.has(name)) return () => (isNoVault(vault) ? "no folder of notes is open" : undefined);
  return undefined;
}

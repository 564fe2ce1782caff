import type { AnyTool, ToolOffer } from "../tool/index.ts";
import { type BuiltinName, builtinAliases } from "./builtin-names.ts";
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
import { testRunnerTool } from "./sandbox/test-runner-tool.ts";
import { webSearchTool } from "./search/web-search-tool.ts";
import { type BuiltinServices, type ServiceOptions, createServices } from "./services.ts";
import { getCurrentTimeTool } from "./time/get-current-time-tool.ts";
import { getTimeRangeMsTool } from "./time/get-time-range-ms-tool.ts";
import { getTimeTool } from "./time/get-time-tool.ts";
import { pomodoroTool } from "./time/pomodoro-tool.ts";
import { getFileTreeTool } from "./vault/get-file-tree-tool.ts";
import { indexVaultTool } from "./vault/index-vault-tool.ts";
import { localSearchTool } from "./vault/local-search-tool.ts";
import { readNoteTool } from "./vault/read-note-tool.ts";
import { crawlBatchTool } from "./web/crawl-batch-tool.ts";
import { fetchPageTool } from "./web/fetch-page-tool.ts";
import { parallelFetchTool } from "./web/parallel-fetch-tool.ts";
import { webFetchTool } from "./web/web-fetch-tool.ts";
import { getWeatherTool } from "./world/get-weather-tool.ts";
import { youtubeTranscriptionTool } from "./world/youtube-transcription-tool.ts";
import { codeFixerTool } from "./writing/code-fixer-tool.ts";
import { codeGeneratorTool } from "./writing/code-generator-tool.ts";
import { codeReviewerTool } from "./writing/code-reviewer-tool.ts";
import { contentReviewerTool } from "./writing/content-reviewer-tool.ts";
import { contentReviserTool } from "./writing/content-reviser-tool.ts";
import { contentWriterTool } from "./writing/content-writer-tool.ts";
import { llmDesignTool } from "./writing/llm-design-tool.ts";
import { llmSummarizeTool } from "./writing/llm-summarize-tool.ts";
import { outlineGeneratorTool } from "./writing/outline-generator-tool.ts";

/**
 * Every built-in tool, ready to be registered. Where only the door is given, what they keep is kept in memory, and no
 * folder is open to them.
 *
 * @example
 * ```ts
 * for (const tool of builtinTools({ door: createDoor() })) registry.register(tool, { owner: "builtin" });
 * ```
 */
export function builtinTools(options: ServiceOptions): AnyTool[] {
  return builtinOffers(options).map(({ make }) => make());
}

/** The same, each made when it is first looked at: whoever calls one of them waits for no other. */
export function builtinOffers(options: ServiceOptions): ToolOffer[] {
  let makers: Makers | undefined;
  return Object.entries(builtinAliases).map(([name, aliases]) => {
    let made: AnyTool | undefined;
    const make = (): AnyTool => {
      makers ??= makersOf(createServices(options));
      // They are the names of the makers too.
      return (made ??= makers[name as BuiltinName]());
    };
    return { name, aliases, make };
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
    fetch_page: () => fetchPageTool(services),
    parallel_fetch: () => parallelFetchTool(services),
    crawl_batch: () => crawlBatchTool(services),
    get_weather: () => getWeatherTool(services),
    youtubeTranscription: () => youtubeTranscriptionTool(services),
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
    indexVault: () => indexVaultTool(services),
    localSearch: () => localSearchTool(services),
    read_note: () => readNoteTool(services),
    getFileTree: () => getFileTreeTool(services),
    read_file: () => readFileTool(services),
    write_file: () => writeFileTool(services),
    edit_file: () => editFileTool(services),
    list_dir: () => listDirTool(services),
    search_files: () => searchFilesTool(services),
    text_process: () => textProcessTool,
    json_process: () => jsonProcessTool,
    get_time: () => getTimeTool(services),
    getCurrentTime: () => getCurrentTimeTool(services),
    getTimeRangeMs: () => getTimeRangeMsTool(services),
    pomodoro: () => pomodoroTool(services),
    test_runner: () => testRunnerTool(services),
    llm_summarize: () => llmSummarizeTool(services),
    llm_design: () => llmDesignTool(services),
    code_generator: () => codeGeneratorTool(services),
    code_reviewer: () => codeReviewerTool(services),
    code_fixer: () => codeFixerTool(services),
    outline_generator: () => outlineGeneratorTool(services),
    content_writer: () => contentWriterTool(services),
    content_reviewer: () => contentReviewerTool(services),
    content_reviser: () => contentReviserTool(services),
  };
}

// Generated from the files *-tool.ts and tool-files/*.yaml of this folder by npm run docs.
import type { AnyTool, ToolOffer } from "../tool/index.ts";
import { readFileTool } from "./files/read-file-tool.ts";
import { writeFileTool } from "./files/write-file-tool.ts";
import { memoryStoreTool } from "./memory/memory-store-tool.ts";
import { memoryRecallTool } from "./memory/memory-recall-tool.ts";
import { indexVaultTool } from "./vault/index-vault-tool.ts";
import { localSearchTool } from "./vault/local-search-tool.ts";
import { readNoteTool } from "./vault/read-note-tool.ts";
import { calculatorTool } from "./calculator-tool.ts";
import { jsonProcessTool } from "./data/json-process-tool.ts";
import { textProcessTool } from "./data/text-process-tool.ts";
import { echoTool } from "./echo-tool.ts";
import { editFileTool } from "./files/edit-file-tool.ts";
import { listDirTool } from "./files/list-dir-tool.ts";
import { searchFilesTool } from "./files/search-files-tool.ts";
import { httpRequestTool } from "./http-request-tool.ts";
import { conversationHistoryTool } from "./memory/conversation-history-tool.ts";
import { memoryForgetTool } from "./memory/memory-forget-tool.ts";
import { testRunnerTool } from "./sandbox/test-runner-tool.ts";
import { webSearchTool } from "./search/web-search-tool.ts";
import { getCurrentTimeTool } from "./time/get-current-time-tool.ts";
import { getTimeRangeMsTool } from "./time/get-time-range-ms-tool.ts";
import { pomodoroTool } from "./time/pomodoro-tool.ts";
import { youtubeTranscriptionTool } from "./transcript/youtube-transcription-tool.ts";
import { getFileTreeTool } from "./vault/get-file-tree-tool.ts";
import { getWeatherTool } from "./weather/get-weather-tool.ts";
import { webFetchTool } from "./web/web-fetch-tool.ts";
import { llmSummarizeTool } from "./writing/llm-summarize-tool.ts";
import { writingTool } from "./writing/writing-tools.ts";
import type { BuiltinServices } from "./services.ts";

/** A built-in tool: its names, which are known without loading it, and how it is made. */
type Builtin = Omit<ToolOffer, "make"> & { readonly make: (services: BuiltinServices) => AnyTool };

/** Every built-in tool. */
export const builtinRegistry: readonly Builtin[] = [
  { name: "read_file", aliases: [], forms: [], make: (services) => readFileTool(services) },
  { name: "write_file", aliases: [], forms: [], make: (services) => writeFileTool(services) },
  { name: "memory_store", aliases: ["memoryStore"], forms: [], make: (services) => memoryStoreTool(services) },
  { name: "memory_recall", aliases: ["memoryRecall"], forms: [], make: (services) => memoryRecallTool(services) },
  { name: "index_vault", aliases: ["indexVault", "indexTool"], forms: [], make: (services) => indexVaultTool(services) },
  { name: "local_search", aliases: ["localSearch"], forms: [], make: (services) => localSearchTool(services) },
  { name: "read_note", aliases: ["readNote"], forms: [], make: (services) => readNoteTool(services) },
  { name: "calculator", aliases: ["calculate"], forms: [], make: () => calculatorTool },
  { name: "json_process", aliases: [], forms: [], make: () => jsonProcessTool },
  { name: "text_process", aliases: [], forms: [], make: () => textProcessTool },
  { name: "echo", aliases: [], forms: [], make: () => echoTool },
  { name: "edit_file", aliases: [], forms: [], make: (services) => editFileTool(services) },
  { name: "list_dir", aliases: ["list_directory"], forms: [], make: (services) => listDirTool(services) },
  { name: "search_files", aliases: ["grep_files"], forms: [], make: (services) => searchFilesTool(services) },
  { name: "http_request", aliases: [], forms: [], make: (services) => httpRequestTool(services) },
  { name: "get_conversation_history", aliases: ["getConversationHistory"], forms: [], make: (services) => conversationHistoryTool(services) },
  { name: "memory_forget", aliases: ["memoryForget"], forms: [], make: (services) => memoryForgetTool(services) },
  { name: "test_runner", aliases: [], forms: [], make: (services) => testRunnerTool(services) },
  { name: "web_search", aliases: ["webSearch", "search_web"], forms: [], make: (services) => webSearchTool(services) },
  { name: "get_current_time", aliases: ["getCurrentTime", "get_time"], forms: ["get_time"], make: (services) => getCurrentTimeTool(services) },
  { name: "get_time_range_ms", aliases: ["getTimeRangeMs", "get_time_range"], forms: [], make: (services) => getTimeRangeMsTool(services) },
  { name: "pomodoro", aliases: ["pomodoroTool", "pomodoro_tool"], forms: [], make: (services) => pomodoroTool(services) },
  { name: "youtube_transcription", aliases: ["youtubeTranscription"], forms: [], make: (services) => youtubeTranscriptionTool(services) },
  { name: "get_file_tree", aliases: ["getFileTree"], forms: [], make: (services) => getFileTreeTool(services) },
  { name: "get_weather", aliases: ["getWeather"], forms: [], make: (services) => getWeatherTool(services) },
  { name: "web_fetch", aliases: ["webFetch", "fetch_page", "parallel_fetch", "parallelFetch", "crawl_batch"], forms: ["fetch_page", "parallel_fetch", "parallelFetch", "crawl_batch"], make: (services) => webFetchTool(services) },
  { name: "llm_summarize", aliases: [], forms: [], make: (services) => llmSummarizeTool(services) },
  { name: "code_fixer", aliases: [], forms: [], make: (services) => writingTool("code_fixer", services) },
  { name: "code_generator", aliases: [], forms: [], make: (services) => writingTool("code_generator", services) },
  { name: "code_reviewer", aliases: [], forms: [], make: (services) => writingTool("code_reviewer", services) },
  { name: "content_reviewer", aliases: [], forms: [], make: (services) => writingTool("content_reviewer", services) },
  { name: "content_reviser", aliases: [], forms: [], make: (services) => writingTool("content_reviser", services) },
  { name: "content_writer", aliases: [], forms: [], make: (services) => writingTool("content_writer", services) },
  { name: "llm_design", aliases: [], forms: [], make: (services) => writingTool("llm_design", services) },
  { name: "outline_generator", aliases: [], forms: [], make: (services) => writingTool("outline_generator", services) },
];

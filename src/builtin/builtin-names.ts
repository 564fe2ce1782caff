/** The name of a tool that comes with Windlass. */
export type BuiltinName =
  | "echo"
  | "calculator"
  | "http_request"
  | "web_search"
  | "web_fetch"
  | "fetch_page"
  | "parallel_fetch"
  | "crawl_batch"
  | "get_weather"
  | "youtubeTranscription"
  | "memory_store"
  | "memory_recall"
  | "memory_forget"
  | "get_conversation_history"
  | "indexVault"
  | "localSearch"
  | "read_note"
  | "getFileTree"
  | "read_file"
  | "write_file"
  | "edit_file"
  | "list_dir"
  | "search_files"
  | "text_process"
  | "json_process"
  | "get_time"
  | "getCurrentTime"
  | "getTimeRangeMs"
  | "pomodoro"
  | "test_runner"
  | "llm_summarize"
  | "llm_design"
  | "code_generator"
  | "code_reviewer"
  | "code_fixer"
  | "outline_generator"
  | "content_writer"
  | "content_reviewer"
  | "content_reviser";

/** The built-in tools and their other names, for whoever has to know them without the tools. */
export const builtinAliases: Readonly<Record<BuiltinName, readonly string[]>> = {
  echo: [],
  calculator: ["calculate"],
  http_request: [],
  web_search: ["webSearch", "search_web"],
  web_fetch: ["webFetch"],
  fetch_page: [],
  parallel_fetch: ["parallelFetch"],
  crawl_batch: [],
  get_weather: ["getWeather"],
  youtubeTranscription: ["youtube_transcription"],
  memory_store: ["memoryStore"],
  memory_recall: ["memoryRecall"],
  memory_forget: ["memoryForget"],
  get_conversation_history: ["getConversationHistory"],
  indexVault: ["index_vault", "indexTool"],
  localSearch: ["local_search"],
  read_note: ["readNote"],
  getFileTree: ["get_file_tree"],
  read_file: [],
  write_file: [],
  edit_file: [],
  list_dir: ["list_directory"],
  search_files: ["grep_files"],
  text_process: [],
  json_process: [],
  get_time: [],
  getCurrentTime: ["get_current_time"],
  getTimeRangeMs: ["get_time_range_ms", "get_time_range"],
  pomodoro: ["pomodoroTool", "pomodoro_tool"],
  test_runner: [],
  llm_summarize: [],
  llm_design: [],
  code_generator: [],
  code_reviewer: [],
  code_fixer: [],
  outline_generator: [],
  content_writer: [],
  content_reviewer: [],
  content_reviser: [],
};

/** Every name and alias. */
export const builtinToolNames: readonly string[] = Object.entries(builtinAliases).flat(2);

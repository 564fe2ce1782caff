/** The documented name of a built-in tool. */
export type BuiltinName =
  | "echo"
  | "calculator"
  | "http_request"
  | "web_search"
  | "web_fetch"
  | "get_weather"
  | "youtube_transcription"
  | "memory_store"
  | "memory_recall"
  | "memory_forget"
  | "get_conversation_history"
  | "index_vault"
  | "local_search"
  | "read_note"
  | "get_file_tree"
  | "read_file"
  | "write_file"
  | "edit_file"
  | "list_dir"
  | "search_files"
  | "text_process"
  | "json_process"
  | "get_current_time"
  | "get_time_range_ms"
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

/**
 * The built-in tools and their aliases, for code that needs the names without loading the tools. Names of earlier versions
 * and other spellings are aliases: they can be called and are not listed.
 */
export const builtinAliases: Readonly<Record<BuiltinName, readonly string[]>> = {
  echo: [],
  calculator: ["calculate"],
  http_request: [],
  web_search: ["webSearch", "search_web"],
  web_fetch: ["webFetch", "fetch_page", "parallel_fetch", "parallelFetch", "crawl_batch"],
  get_weather: ["getWeather"],
  youtube_transcription: ["youtubeTranscription"],
  memory_store: ["memoryStore"],
  memory_recall: ["memoryRecall"],
  memory_forget: ["memoryForget"],
  get_conversation_history: ["getConversationHistory"],
  index_vault: ["indexVault", "indexTool"],
  local_search: ["localSearch"],
  read_note: ["readNote"],
  get_file_tree: ["getFileTree"],
  read_file: [],
  write_file: [],
  edit_file: [],
  list_dir: ["list_directory"],
  search_files: ["grep_files"],
  text_process: [],
  json_process: [],
  get_current_time: ["getCurrentTime", "get_time"],
  get_time_range_ms: ["getTimeRangeMs", "get_time_range"],
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

/** The aliases with their own input and output, by tool. */
export const builtinForms: Readonly<Partial<Record<BuiltinName, readonly string[]>>> = {
  web_fetch: ["fetch_page", "parallel_fetch", "parallelFetch", "crawl_batch"],
  get_current_time: ["get_time"],
};

/** Every name and alias. */
export const builtinToolNames: readonly string[] = Object.entries(builtinAliases).flat(2);

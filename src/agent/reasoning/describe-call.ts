import { isRecord } from "../../schema/index.ts";
import type { ShownTool } from "../events/agent-event.ts";
import type { ReasoningLanguage } from "./reasoning-block.ts";
import { shortLine, shortValue } from "./short-line.ts";

/** Description of a call: the arguments to show, and the text around them. */
interface CallTexts {
  /** The first of these arguments that is present is shown. */
  readonly about: readonly string[];
  readonly en: string;
  readonly zh: string;
  /** Used if the arguments do not name a subject. */
  readonly bare?: { readonly en: string; readonly zh: string };
}

/** Longer values are cut. */
const maxAboutLength = 120;

/** Description of a call by tool name; `%` stands for the arguments shown. */
const known: Readonly<Record<string, CallTexts>> = {
  local_search: {
    about: ["salientTerms", "query"],
    en: "Searching the notes for %",
    zh: "正在为%搜索笔记",
    bare: { en: "Searching the notes", zh: "正在查看笔记" },
  },
  web_search: { about: ["query"], en: "Searching the web for %", zh: "正在为%搜索网络" },
  search_files: { about: ["query", "pattern"], en: "Searching the files for %", zh: "正在为%搜索文件" },
  memory_recall: { about: ["query"], en: "Remembering %", zh: "正在回忆%" },
  memory_store: { about: ["content"], en: "Storing in memory %", zh: "正在记住%" },
  find_tools: { about: ["query"], en: "Finding a tool for %", zh: "正在为%寻找工具" },
  web_fetch: { about: ["url", "urls"], en: "Reading %", zh: "正在阅读%" },
  http_request: { about: ["url"], en: "Requesting %", zh: "正在请求%" },
  read_file: { about: ["path"], en: "Reading %", zh: "正在阅读%" },
  read_note: { about: ["note", "path"], en: "Reading %", zh: "正在阅读%" },
  write_file: { about: ["path"], en: "Writing %", zh: "正在写入%" },
  edit_file: { about: ["path"], en: "Changing %", zh: "正在修改%" },
  list_dir: {
    about: ["path"],
    en: "Listing %",
    zh: "正在查看%",
    bare: { en: "Listing the folder", zh: "正在查看文件夹" },
  },
  get_file_tree: { about: [], en: "", zh: "", bare: { en: "Listing the folders", zh: "正在查看文件树" } },
  calculator: { about: ["expression"], en: "Calculating %", zh: "正在计算%" },
  get_current_time: { about: [], en: "", zh: "", bare: { en: "Checking the time", zh: "正在查看时间" } },
  get_time_range_ms: {
    about: ["description"],
    en: "Working out when % is",
    zh: "正在确定%的时间范围",
    bare: { en: "Working out a time range", zh: "正在确定时间范围" },
  },
  read_result: { about: [], en: "", zh: "", bare: { en: "Reading more of a result", zh: "正在继续阅读结果" } },
  get_conversation_history: {
    about: [],
    en: "",
    zh: "",
    bare: { en: "Reading the conversation history", zh: "正在回顾对话" },
  },
  get_weather: { about: ["place", "location", "city"], en: "Getting the weather in %", zh: "正在查询%的天气" },
  youtube_transcription: { about: ["url"], en: "Reading the transcript of %", zh: "正在读取%的字幕" },
};

/** Other names of these tools, which conversations of earlier versions contain. */
const otherNames: Readonly<Record<string, string>> = {
  localSearch: "local_search",
  fetch_page: "web_fetch",
  parallel_fetch: "web_fetch",
  crawl_batch: "web_fetch",
  getFileTree: "get_file_tree",
  get_time: "get_current_time",
  getCurrentTime: "get_current_time",
  getTimeRangeMs: "get_time_range_ms",
  youtubeTranscription: "youtube_transcription",
};

/**
 * Describes a call as text: `Searching the notes for "piano", "practice"`, or `Calling Tide table {"port":"Rye"}` with
 * the display name of the tool.
 */
export function describeCall(
  { tool, displayName = tool }: Pick<ShownTool, "tool" | "displayName">,
  args: unknown,
  language: ReasoningLanguage,
): string {
  const words = textsOf(tool);
  const about = words === undefined ? undefined : aboutOf(words, args, language);
  if (words !== undefined && about !== undefined) return words[language].replace("%", () => about);
  if (words?.bare !== undefined) return words.bare[language];
  const name = shortLine(displayName, maxAboutLength);
  const input = isRecord(args) && Object.keys(args).length > 0 ? ` ${shortValue(args, maxAboutLength)}` : "";
  return language === "zh" ? `正在调用 ${name}${input}` : `Calling ${name}${input}`;
}

function textsOf(tool: string): CallTexts | undefined {
  const listed = Object.hasOwn(otherNames, tool) ? (otherNames[tool] ?? tool) : tool;
  return Object.hasOwn(known, listed) ? known[listed] : undefined;
}

function aboutOf({ about }: CallTexts, args: unknown, language: ReasoningLanguage): string | undefined {
  if (!isRecord(args)) return undefined;
  for (const key of about) {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    const parts = (Array.isArray(value) ? value : [value]).filter((part) => typeof part === "string" && part !== "");
    if (parts.length > 0) return quoted(parts.slice(0, 5), language);
  }
  return undefined;
}

function quoted(texts: readonly string[], language: ReasoningLanguage): string {
  const short = texts.map((text) => shortLine(text, maxAboutLength));
  return language === "zh" ? short.map((text) => `“${text}”`).join("、") : short.map((text) => `"${text}"`).join(", ");
}

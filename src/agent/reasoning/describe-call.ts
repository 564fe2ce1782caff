import { isRecord } from "../../schema/index.ts";
import type { ReasoningLanguage } from "./reasoning-block.ts";
import { shortLine, shortValue } from "./short-line.ts";

/** How a call is told: with what of its arguments, in which words. */
interface CallWords {
  /** The first of these arguments that is there is what the call is about. */
  readonly about: readonly string[];
  readonly en: string;
  readonly zh: string;
  /** Where nothing is said about what. */
  readonly bare?: { readonly en: string; readonly zh: string };
}

/** Longer ones are cut. */
const longestAbout = 120;

/** In which words a call of this tool is told, by its arguments; `%` stands for what it is about. */
const known: Readonly<Record<string, CallWords>> = {
  localSearch: {
    about: ["salientTerms", "query"],
    en: "Searching the notes for %",
    zh: "正在为%搜索笔记",
    bare: { en: "Looking through the notes", zh: "正在查看笔记" },
  },
  web_search: { about: ["query"], en: "Searching the web for %", zh: "正在为%搜索网络" },
  search_files: { about: ["query", "pattern"], en: "Searching the files for %", zh: "正在为%搜索文件" },
  memory_recall: { about: ["query"], en: "Remembering %", zh: "正在回忆%" },
  memory_store: { about: ["content"], en: "Keeping in mind %", zh: "正在记住%" },
  find_tools: { about: ["query"], en: "Looking for a tool for %", zh: "正在为%寻找工具" },
  fetch_page: { about: ["url"], en: "Reading %", zh: "正在阅读%" },
  web_fetch: { about: ["url"], en: "Reading %", zh: "正在阅读%" },
  http_request: { about: ["url"], en: "Requesting %", zh: "正在请求%" },
  read_file: { about: ["path"], en: "Reading %", zh: "正在阅读%" },
  read_note: { about: ["note", "path"], en: "Reading %", zh: "正在阅读%" },
  write_file: { about: ["path"], en: "Writing %", zh: "正在写入%" },
  edit_file: { about: ["path"], en: "Changing %", zh: "正在修改%" },
  list_dir: {
    about: ["path"],
    en: "Looking into %",
    zh: "正在查看%",
    bare: { en: "Looking into the folder", zh: "正在查看文件夹" },
  },
  getFileTree: { about: [], en: "", zh: "", bare: { en: "Looking through the folders", zh: "正在查看文件树" } },
  calculator: { about: ["expression"], en: "Calculating %", zh: "正在计算%" },
  getCurrentTime: { about: [], en: "", zh: "", bare: { en: "Looking at the clock", zh: "正在查看时间" } },
  getTimeRangeMs: {
    about: ["description"],
    en: "Working out when % is",
    zh: "正在确定%的时间范围",
    bare: { en: "Working out a time range", zh: "正在确定时间范围" },
  },
  read_result: { about: [], en: "", zh: "", bare: { en: "Reading on in a result", zh: "正在继续阅读结果" } },
  get_conversation_history: {
    about: [],
    en: "",
    zh: "",
    bare: { en: "Looking back at the conversation", zh: "正在回顾对话" },
  },
  get_weather: { about: ["place", "location", "city"], en: "Asking for the weather in %", zh: "正在查询%的天气" },
  youtubeTranscription: { about: ["url"], en: "Reading what is said in %", zh: "正在读取%的字幕" },
};

/** A call in words: `Searching the notes for "piano", "practice"`. */
export function callWords(tool: string, args: unknown, language: ReasoningLanguage): string {
  const words = Object.hasOwn(known, tool) ? known[tool] : undefined;
  const about = words === undefined ? undefined : aboutOf(words, args, language);
  if (words !== undefined && about !== undefined) return words[language].replace("%", () => about);
  if (words?.bare !== undefined) return words.bare[language];
  const name = shortLine(tool, longestAbout);
  const given = isRecord(args) && Object.keys(args).length > 0 ? ` ${shortValue(args, longestAbout)}` : "";
  return language === "zh" ? `正在调用 ${name}${given}` : `Calling ${name}${given}`;
}

function aboutOf({ about }: CallWords, args: unknown, language: ReasoningLanguage): string | undefined {
  if (!isRecord(args)) return undefined;
  for (const key of about) {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    const parts = (Array.isArray(value) ? value : [value]).filter((part) => typeof part === "string" && part !== "");
    if (parts.length > 0) return quoted(parts.slice(0, 5), language);
  }
  return undefined;
}

function quoted(texts: readonly string[], language: ReasoningLanguage): string {
  const short = texts.map((text) => shortLine(text, longestAbout));
  return language === "zh" ? short.map((text) => `“${text}”`).join("、") : short.map((text) => `"${text}"`).join(", ");
}

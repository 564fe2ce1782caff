/** Keywords of a capability. Latin ones match whole words, in any of their forms. */
export interface CapabilityKeywords {
  /** In the name, or in the first sentence of the description. */
  readonly words: readonly string[];
  /** Keywords that count only in the name. */
  readonly inName?: readonly string[];
  /** Words that exclude the capability, regardless of the words above. */
  readonly unless?: readonly string[];
  /** Other names of the capability, for declarations and calls. */
  readonly aliases?: readonly string[];
}

/** Words that indicate a search of something other than the web. */
const localSearchWords = [
  ..."file folder directory note vault memory memories code repository database email mail log".split(" "),
  ..."文件 目录 笔记 记忆 代码 仓库 数据库 邮件 日志 本地".split(" "),
];

const searching = ["search", "look up", "搜索", "检索", "搜寻", "查找"];

/** The capabilities that are derived if a tool declares none. */
export const capabilityKeywords: Readonly<Record<string, CapabilityKeywords>> = {
  search: { words: searching, inName: ["find", "lookup"], aliases: ["搜索"] },
  web: {
    words: [...searching, "web", "internet", "browse", "网页", "互联网", "上网"],
    unless: localSearchWords,
    aliases: ["网页"],
  },
  research: { words: [...searching, "research", "研究", "调研"], unless: localSearchWords, aliases: ["研究", "调研"] },
  calculate: {
    words: ["calculate", "calculator", "calculation", "arithmetic", "计算", "算术", "运算"],
    inName: ["calc", "math"],
    aliases: ["计算"],
  },
  time: {
    words: ["current time", "date and time", "time of day", "time zone", "timezone", "clock", "时间", "时区", "几点"],
    inName: ["time", "now"],
    aliases: ["时间"],
  },
  date: {
    words: ["current date", "calendar", "date and time", "日期", "日历"],
    inName: ["date", "today"],
    aliases: ["日期"],
  },
  extract: { words: ["extract", "extraction", "scrape", "提取", "抽取", "抓取"], inName: ["parse"], aliases: ["提取"] },
  summarize: {
    words: ["summarize", "summarise", "summary", "abstract", "总结", "摘要", "概括"],
    aliases: ["summarise", "总结", "摘要"],
  },
  translate: { words: ["translate", "translation", "translator", "翻译"], aliases: ["翻译"] },
  weather: { words: ["weather", "forecast", "temperature", "天气", "气温", "气象"], aliases: ["天气"] },
  memory: { words: ["memory", "memories", "remember", "recall", "记忆", "回忆", "记住"], aliases: ["记忆"] },
  history: {
    words: ["chat history", "conversation history", "聊天记录", "对话历史", "历史记录"],
    inName: ["history"],
    aliases: ["历史"],
  },
  file: { words: ["file", "folder", "directory", "文件", "目录", "文件夹"], aliases: ["文件"] },
  fetch: { words: ["fetch", "download", "crawl", "下载", "爬取", "抓取"], aliases: ["抓取"] },
  code: { words: ["source code", "code", "program", "script", "代码", "编程", "程序"], aliases: ["代码", "编程"] },
  database: { words: ["database", "sql", "数据库"], aliases: ["数据库"] },
  email: { words: ["email", "e mail", "mailbox", "邮件", "邮箱"], aliases: ["邮件"] },
  image: { words: ["image", "picture", "photo", "图片", "图像", "照片"], aliases: ["图片", "图像"] },
  map: {
    words: ["geocode", "geocoding", "route", "directions", "地图", "路线", "导航"],
    inName: ["map", "maps"],
    aliases: ["地图"],
  },
  news: { words: ["news", "headline", "新闻", "头条"], aliases: ["新闻"] },
  notify: { words: ["notify", "notification", "通知", "提醒"], aliases: ["通知"] },
};

/** The one name of a capability that has several. */
export const namedByAlias: ReadonlyMap<string, string> = new Map(
  Object.entries(capabilityKeywords).flatMap(([name, { aliases = [] }]) => aliases.map((alias) => [alias, name])),
);

import { type ToolOf, defineTool, ok } from "../../tool/index.ts";
import { searchMs } from "./fetch-provider.ts";
import { type ChatTurn, chatTopic, segmentText } from "./chat-topics.ts";
import { type SearchService, noProviderMessage } from "./search.ts";

const input = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, maxLength: 2000, description: "The search query." },
    count: { type: "integer", minimum: 1, maximum: 50, description: "Number of results. Default: 5." },
    max_results: { type: "integer", minimum: 1, maximum: 50, description: "Another name for count." },
    chat_history: {
      type: "array",
      maxItems: 200,
      items: {
        type: "object",
        properties: { role: { type: "string" }, content: { type: "string" } },
        required: ["role", "content"],
      },
      description:
        "The last turns of the conversation. A pronoun in the query, such as it or they, is replaced by the topic of these turns.",
    },
    chatHistory: {
      type: "array",
      maxItems: 200,
      items: {
        type: "object",
        properties: { role: { type: "string" }, content: { type: "string" } },
        required: ["role", "content"],
      },
      description: "Another name for chat_history.",
    },
  },
  required: ["query"],
  additionalProperties: false,
  examples: [
    { query: "tide tables", count: 3 },
    {
      query: "who built it",
      chat_history: [{ role: "user", content: "Tell me about the Eiffel Tower" }],
      max_results: 5,
    },
  ],
} as const;

// `results` is the only list, so that a chain can use `output[*].url`.
const output = {
  type: "object",
  properties: {
    results: {
      type: "array",
      items: {
        type: "object",
        properties: { title: { type: "string" }, url: { type: "string" }, snippet: { type: "string" } },
        required: ["title", "url", "snippet"],
      },
    },
    provider: { type: "string" },
    query: { type: "string" },
  },
  required: ["results", "provider"],
} as const;

/** `web_search`: addresses, titles and snippets for a query. */
export function webSearchTool({ search }: { readonly search: SearchService }): ToolOf<typeof input, typeof output> {
  return defineTool({
    name: "web_search",
    description:
      "Searches the web and returns { results: [{ title, url, snippet }], provider }. Use it for anything that is recent " +
      "or not known for certain; write the query as for a search engine, in the language of the best sources. Read a " +
      "result in full with web_fetch. An empty list means that nothing was found.",
    displayName: "Web search",
    category: "crawler",
    tags: ["web", "network", "search"],
    capabilities: ["search", "搜索"],
    aliases: ["webSearch", "search_web"],
    effect: "read",
    sends: true,
    timeoutMs: searchMs,
    core: 2,
    unavailable: () => {
      const status = search.status();
      return status.some(({ missing }) => missing.length === 0) ? undefined : noProviderMessage(status);
    },
    input,
    output,
    run: async (args, { signal, callId }) => {
      const { count = args.max_results ?? 5, chat_history = args.chatHistory ?? [] } = args;
      const query = refineQuery(args.query, chat_history);
      const { results, provider, cached } = await search.search({ query, count, signal, call: callId });
      const output = { results, provider, ...(query !== args.query && { query }) };
      return cached ? ok(output, { meta: { fromSearchCache: true } }) : output;
    },
  });
}

/** English pronouns, which refer to something earlier in the conversation. */
const pronouns: ReadonlySet<string> = new Set("it its they them their theirs he him his she her hers".split(" "));
/** Words that are pronouns only at the end of a query. */
const atTheEnd: ReadonlySet<string> = new Set(["this", "that", "these", "those", "one", "there"]);
const persons: ReadonlySet<string> = new Set(["he", "him", "his", "she", "her", "hers"]);

/** Nouns that a Chinese pronoun may precede: 这家公司, 该书, 那个地方. */
const kinds =
  "公司|企业|品牌|产品|软件|语言|工具|项目|电影|电视剧|游戏|书|小说|歌|城市|国家|地方|景点|学校|大学|人|作家|作者|演员|药|东西";
const measures = "家|本|部|款|位|座|种|项|条|只|台|支|首|篇|所|场|个|些";

/** Chinese pronouns, unless they are part of another word: 其他, 吉他, 这个月. */
const chinese = new RegExp(
  `(?<person>(?<![其吉])[他她]们?|此人)|它们?|[那这][里儿]|该(?:${kinds})|(?<![尤极与何])其(?![他它她余中实次间])(?=\\p{Script=Han})|` +
    `[这那](?:${measures})(?:${kinds})|[这那](?:个|些|家)(?!月|年|周|星期|礼拜|时候|时间|世纪|季度|天|人)`,
  "u",
);

interface PronounMatch {
  readonly at: number;
  readonly length: number;
  readonly person: boolean;
}

/**
 * Replaces the pronoun of a query with the topic of the last turns: "who built it" after a turn about the Eiffel Tower
 * becomes "who built Eiffel Tower", 它有多高 after 介绍一下埃菲尔铁塔 becomes 埃菲尔铁塔有多高. A query without a pronoun, or with its own
 * topic in quotes or capitals, stays unchanged.
 */
export function refineQuery(query: string, history: readonly ChatTurn[]): string {
  const match = hasTopic(query) ? undefined : (pronounIn(query) ?? chinesePronounIn(query));
  const topic = match && chatTopic(history, query, match.person);
  if (match === undefined || topic === undefined) return query;
  const after = query.slice(match.at + match.length);
  // 其历史 is 它的历史.
  const owns = query.startsWith("其", match.at) ? "的" : "";
  return query.slice(0, match.at) + topic + owns + after;
}

function pronounIn(query: string): PronounMatch | undefined {
  const words = segmentText(query);
  const found = words.find(({ text }, index) => isPronoun(text, index === words.length - 1));
  return found && { at: found.at, length: found.text.length, person: persons.has(found.text.toLowerCase()) };
}

/** `IT` in capitals is a trade. */
function isPronoun(text: string, isLast: boolean): boolean {
  if (/^[A-Z]{2,}$/.test(text)) return false;
  const word = text.toLowerCase();
  return pronouns.has(word) || (isLast && atTheEnd.has(word));
}

function chinesePronounIn(query: string): PronounMatch | undefined {
  const found = chinese.exec(query);
  return found === null
    ? undefined
    : { at: found.index, length: found[0].length, person: found.groups?.["person"] !== undefined };
}

/** A name inside the query: something in quotes, or with a capital after its beginning. */
function hasTopic(query: string): boolean {
  return /["“「《][^"”」》]{2,}["”」》]/.test(query) || /\s(?!I\b)\p{Lu}[\p{L}\d]/u.test(query.trim());
}

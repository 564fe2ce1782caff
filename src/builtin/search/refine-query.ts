import { type ChatTurn, chatTopic, wordsIn } from "./chat-topics.ts";

/** English words that stand for something said before. */
const pronouns: ReadonlySet<string> = new Set("it its they them their theirs he him his she her hers".split(" "));
/** Words that do so only as the last one. */
const atTheEnd: ReadonlySet<string> = new Set(["this", "that", "these", "those", "one", "there"]);
const persons: ReadonlySet<string> = new Set(["he", "him", "his", "she", "her", "hers"]);

/** Kinds of things that a Chinese pronoun may stand before: 这家公司, 该书, 那个地方. */
const kinds =
  "公司|企业|品牌|产品|软件|语言|工具|项目|电影|电视剧|游戏|书|小说|歌|城市|国家|地方|景点|学校|大学|人|作家|作者|演员|药|东西";
const measures = "家|本|部|款|位|座|种|项|条|只|台|支|首|篇|所|场|个|些";

/** Chinese words that stand for something said before, where they are not part of another: 其他, 吉他, 这个月. */
const chinese = new RegExp(
  `(?<person>(?<![其吉])[他她]们?|此人)|它们?|[那这][里儿]|该(?:${kinds})|(?<![尤极与何])其(?![他它她余中实次间])(?=\\p{Script=Han})|` +
    `[这那](?:${measures})(?:${kinds})|[这那](?:个|些|家)(?!月|年|周|星期|礼拜|时候|时间|世纪|季度|天|人)`,
  "u",
);

interface Place {
  readonly at: number;
  readonly length: number;
  readonly person: boolean;
}

/**
 * The query with its pronoun replaced by what the last turns were about: "who built it" after "Tell me about the Eiffel
 * Tower" becomes "who built Eiffel Tower", 它有多高 after 介绍一下埃菲尔铁塔 becomes 埃菲尔铁塔有多高. A query without a
 * pronoun, or with a topic of its own in quotes or capitals, stays as it is.
 */
export function refineQuery(query: string, history: readonly ChatTurn[]): string {
  const place = hasTopic(query) ? undefined : (pronounIn(query) ?? chinesePronounIn(query));
  const topic = place && chatTopic(history, { person: place.person, query });
  if (place === undefined || topic === undefined) return query;
  const after = query.slice(place.at + place.length);
  // 其历史 is 它的历史.
  const owns = query.startsWith("其", place.at) ? "的" : "";
  return query.slice(0, place.at) + topic + owns + after;
}

function pronounIn(query: string): Place | undefined {
  const words = wordsIn(query);
  const found = words.find(({ text }, index) => isPronoun(text, index === words.length - 1));
  return found && { at: found.at, length: found.text.length, person: persons.has(found.text.toLowerCase()) };
}

/** `IT` in capitals is a trade. */
function isPronoun(text: string, isLast: boolean): boolean {
  if (/^[A-Z]{2,}$/.test(text)) return false;
  const word = text.toLowerCase();
  return pronouns.has(word) || (isLast && atTheEnd.has(word));
}

function chinesePronounIn(query: string): Place | undefined {
  const found = chinese.exec(query);
  return found === null
    ? undefined
    : { at: found.index, length: found[0].length, person: found.groups?.["person"] !== undefined };
}

/** A name inside the query: something in quotes, or with a capital after its beginning. */
function hasTopic(query: string): boolean {
  return /["“「《][^"”」》]{2,}["”」》]/.test(query) || /\s(?!I\b)\p{Lu}[\p{L}\d]/u.test(query.trim());
}

import type { ConversationMessage } from "../../events/message.ts";
import type { AgentPrompt } from "../../run/runner.ts";
import { messageTextOf } from "../gathered-results.ts";
import { salientTerms } from "../notes/salient-terms.ts";
import { futurePhraseIn, timePhraseIn, withoutTime } from "../notes/time-phrase.ts";
import { isAboutAnswer } from "./is-about-answer.ts";
import { earlierNotes } from "./earlier-notes.ts";

/** A prompt with more terms than this names its own topic. */
const fewTerms = 3;
const maxTerms = 12;
/** Maximum number of earlier messages to search. */
const maxLookback = 20;
/** "And last week?" */
const followUp = /\b(?:and|or|but|what|how|about|also|then|in|the)\b|那么?|还有|呢|的|[\s\p{P}]/giu;
const noteRequestPattern =
  /\b(?:notes?|vault|writ(?:e|ing|ten)|wrote|journal|diary|log|logged)\b|笔记|日记|日志|写|记/iu;

/** A person or thing mentioned before. */
const topicReference = /\b(?:it|its|they|them|their|he|him|his|she|her)\b|[它她]|(?<![其吉])他/iu;
/** `this` and `that` as references; in "this parser" and "notes that say so" they are not. */
const pointedAt =
  /\b(?:this|that|these|those)\b(?=\s*(?:[\p{P}]|$)|['’]s\b|\s+(?:is|was|are|were|did|does|do|has|had|have|can|could|will|would|should|about|mean|means|work|works|happen|happens|happened)\b)/iu;
/** 那 at the beginning leads to something else; 这本书 and 那座磨坊 refer to something mentioned before. */
const pointedAtZh = /[这那]|此(?:[处事人])/u;
const leadsOver = /^[\s\p{P}]*(?:那么?(?=[^个些种里样本篇座位只条件次时边儿]|$)|然后)/u;

type TopicSource = Pick<AgentPrompt, "text" | "history">;

/**
 * The terms of a prompt, including those of the previous prompt if it only refers back. Empty if it requests the notes
 * of a time, or any notes; undefined if it names nothing to search for.
 */
export function extractTopic({ text, history }: TopicSource): readonly string[] | undefined {
  if (namesNothing({ text, history })) return undefined;
  const terms = salientTerms(text);
  const time = timePhraseIn(text);
  const timeless = timelessOf(text);
  if (timeless !== text && timeless.replaceAll(followUp, "") === "") {
    const last = lastTopic(history.slice(-maxLookback));
    return last.length > 0 ? last : terms;
  }
  if (terms.length === 0 && (time !== undefined || noteRequestPattern.test(text))) return terms;
  if (terms.length > 0 && !(pointsBack(timeless) && terms.length <= fewTerms)) return terms;
  const all = [...new Set([...terms, ...lastTopic(history.slice(-maxLookback))])].slice(0, maxTerms);
  return all.length > 0 ? all : undefined;
}

/** True for thanks, and for comments on an earlier answer: they are not searches in notes. */
function namesNothing({ text, history }: TopicSource): boolean {
  return isSmallTalk(text) || (history.length > 0 && isAboutAnswer(text));
}

/** "This week" refers to nothing in the history. */
function timelessOf(text: string): string {
  const time = timePhraseIn(text);
  const rest = time === undefined ? text : withoutTime(text, time);
  const ahead = futurePhraseIn(rest);
  return ahead === undefined ? rest : withoutTime(rest, ahead);
}

function pointsBack(text: string): boolean {
  return topicReference.test(text) || pointedAt.test(text) || pointedAtZh.test(text.replace(leadsOver, ""));
}

/** The last topic of the conversation. A topic without results counts only if no topic had any. */
function lastTopic(history: readonly ConversationMessage[]): readonly string[] {
  const turns = turnsOf(history);
  for (const turn of [...turns.filter(({ hasFound }) => hasFound), ...turns.filter(({ hasFound }) => !hasFound)]) {
    const topic = extractTopic(turn);
    if (topic !== undefined) return topic;
  }
  return [];
}

interface Turn extends TopicSource {
  /** Notes were shown for it. */
  readonly hasFound: boolean;
}

/** The user turns of a conversation, the last first. */
function turnsOf(history: readonly ConversationMessage[]): Turn[] {
  const turns: Turn[] = [];
  let end = history.length;
  for (const [at, message] of [...history.entries()].toReversed()) {
    if (message.role !== "user") continue;
    const hasFound = earlierNotes(history.slice(at, end)).size > 0;
    turns.push({ text: messageTextOf(message), history: history.slice(0, at), hasFound });
    end = at;
  }
  return turns;
}

/** Polite phrases without a topic. */
const polite =
  "thank thanks thx ty ok okay yes yeah yep no nope sure great good nice cool fine perfect excellent awesome wonderful " +
  "hello hi hey bye goodbye cheers sorry hmm helpful useful clear understood right alright wow lol " +
  "谢谢 多谢 感谢 谢 好 好的 好吧 好啊 嗯 哦 行 可以 明白 明白了 知道了 了解 懂了 懂 你好 您好 再见 拜拜 辛苦 辛苦了 不用 不客气 没事 太好了 很好 " +
  "不错 收到 对 对的 是的 没问题 有用 有帮助";
/** Words that accompany them. */
const filler =
  "a all and again am are bit everyone everybody for got i is it it's indeed lot makes me much my now of really sense so " +
  "that that's the then there this to too very was well you your morning evening day " +
  "了 啊 呢 吧 呀 啦 的 你 您 我 大家 非常 很 太 真 是 都 不 就 这样 那 那就 先 这 早上 晚上";

const politeWords: ReadonlySet<string> = new Set(polite.split(" "));
const fillers: ReadonlySet<string> = new Set(filler.split(" "));
const maxLength = 60;

let segmenter: Intl.Segmenter | undefined;

/** True if a message is only polite, such as "thanks", or has no word: there is nothing to search for. */
export function isSmallTalk(text: string): boolean {
  const normalized = text.trim().toLowerCase().replaceAll("’", "'");
  if (normalized.length > maxLength) return false;
  if (politeWords.has(normalized.replaceAll(/[\s\p{P}]+/gu, ""))) return true;
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  const words = [...segmenter.segment(normalized)].flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? segment : [],
  );
  if (words.length === 0) return true;
  return (
    words.some((word) => politeWords.has(word)) && words.every((word) => politeWords.has(word) || fillers.has(word))
  );
}

import { wordSegments } from "../../../text/index.ts";
import type { ConversationMessage } from "../../events/message.ts";
import type { AgentPrompt } from "../../run/runner.ts";
import { messageTextOf } from "../gathered-results.ts";
import { salientTerms } from "../notes/salient-terms.ts";
import { futurePhraseIn, timePhraseIn, withoutTime } from "../notes/time-phrase.ts";
import { earlierNotes } from "./earlier-notes.ts";
import { isStopWord } from "../notes/stop-words.ts";

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
/** Longer messages are more than polite. */
const maxPoliteLength = 60;

/** True if a message is only polite, such as "thanks", or has no word: there is nothing to search for. */
export function isSmallTalk(text: string): boolean {
  const normalized = text.trim().toLowerCase().replaceAll("’", "'");
  if (normalized.length > maxPoliteLength) return false;
  if (politeWords.has(normalized.replaceAll(/[\s\p{P}]+/gu, ""))) return true;
  const words = wordsOf(normalized);
  if (words.length === 0) return true;
  return (
    words.some((word) => politeWords.has(word)) && words.every((word) => politeWords.has(word) || fillers.has(word))
  );
}

function wordsOf(text: string): string[] {
  return [...wordSegments(text)].flatMap(({ segment, isWordLike }) => (isWordLike === true ? segment : []));
}

/** Requests about an answer: to change it, or to explain it. */
const answerRequests =
  "shorter shorten short longer brief briefly briefer concise concisely compact simpler simply simplify detail details " +
  "detailed elaborate expand rephrase reword reformulate paraphrase rewrite translate translated translation repeat " +
  "bullets bullet tldr clarify continue mean means meant " +
  "简短 简短点 简单 简单点 简洁 简化 精简 缩短 短 短点 短些 长 长点 长些 详细 详细点 详尽 具体 具体点 展开 翻译 译 译成 重复 再说 一遍 换 换个 " +
  "说法 意思 继续 改写 润色 概括";
/** Words that accompany them. */
const companions =
  "sentence sentences paragraph paragraphs line lines point points item items step steps part parts word words form one " +
  "two three four five first second third fourth fifth language same way bit little go on make put turn keep english " +
  "chinese mandarin german french spanish italian portuguese dutch russian japanese korean " +
  "成 得 点 些 句 句子 段 段落 点儿 话 句话 一句 一句话 两句 两句话 遍 次 版 版本 语言 第 一 二 三 四 五 六 七 八 九 十 最后 第一 第二 第三 第四 第五 " +
  "英文 英语 中文 汉语 德语 德文 法语 法文 日语 日文 韩语 俄语 西班牙语 意大利语 葡萄牙语 继续说";

const requestWords: ReadonlySet<string> = new Set(answerRequests.split(" "));
const companion: ReadonlySet<string> = new Set(companions.split(" "));

const language =
  "english|chinese|mandarin|german|french|spanish|italian|portuguese|dutch|russian|japanese|korean|one sentence|(?:two|three|four|five|a few) (?:sentences|words|points)";
const inLanguage = new RegExp(
  `\\b(?:in|into|to)\\s+(?:${language})\\b|[用成为](?:英|中|德|法|日|韩|汉|俄|西班牙|意大利|葡萄牙)[文语]|用.{1,2}句话`,
  "iu",
);
const ordinalReference =
  /\b(?:first|second|third|fourth|fifth|last)\s+(?:sentence|paragraph|line|point|item|step|part|word|one)\b|\b(?:sentence|paragraph|line|point|item|step|part)\s+\d{1,2}\b|(?:第[一二三四五六七八九十\d]{1,3}|最后一)[句条点段项步个]/iu;
/** The prompt is about written notes. */
const noteRequest =
  /\b(?:notes?|vault|wrote|written|journal|diary|(?:did|do|have|had) (?:i|we))\b|笔记|日记|日志|[写记](?:[了过]|录)/iu;

/** Longer messages are more than a comment. */
const maxCommentLength = 120;

/**
 * True if a message only comments on the answer before it, such as "Shorter please", "in German" and 再详细一点. It must
 * name nothing else: such a message has nothing to search for.
 */
export function isAboutAnswer(text: string): boolean {
  const normalized = text.trim().toLowerCase();
  if (normalized.length > maxCommentLength || noteRequest.test(normalized) || /["“「『《]/u.test(normalized))
    return false;
  const words = wordsOf(normalized);
  if (!words.every((word) => requestWords.has(word) || companion.has(word) || isStopWord(word) || isCount(word)))
    return false;
  return (
    words.some((word) => requestWords.has(word)) || inLanguage.test(normalized) || ordinalReference.test(normalized)
  );
}

/** `2`, and 第二 as well as 两句. */
function isCount(word: string): boolean {
  return /^(?:\d{1,2}|第?[一二两三四五六七八九十几\d]{1,3}[句条点段项步个遍次]?)$/u.test(word);
}

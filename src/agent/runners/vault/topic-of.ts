import type { ConversationMessage } from "../../message.ts";
import type { AgentQuestion } from "../../runner.ts";
import { saidIn } from "../gathered.ts";
import { salientTerms } from "../notes/salient-terms.ts";
import { isSmallTalk } from "../notes/small-talk.ts";
import { aheadIn, timePhraseIn, withoutTime } from "../notes/time-phrase.ts";

/** A question that says more than this says what it is about. */
const fewTerms = 3;
const mostTerms = 12;
/** Messages that are looked back at. */
const mostBack = 20;
/** "And last week?" */
const goesOn = /\b(?:and|or|but|what|how|about|also|then|in|the)\b|那么?|还有|呢|的|[\s\p{P}]/giu;
const asksForNotes = /\b(?:notes?|vault|writ(?:e|ing|ten)|wrote|journal|diary|log|logged)\b|笔记|日记|日志|写|记/iu;

/** Somebody or something that was spoken of. */
const spokenOf = /\b(?:it|its|they|them|their|he|him|his|she|her)\b|[它她]|(?<![其吉])他/iu;
/** The same as `this` and `that` where they stand for something; "this parser" and "notes that say so" name it. */
const pointedAt =
  /\b(?:this|that|these|those)\b(?=\s*(?:[\p{P}]|$)|['’]s\b|\s+(?:is|was|are|were|did|does|do|has|had|have|can|could|will|would|should|about|mean|means|work|works|happen|happens|happened)\b)/iu;
/** 那 at the beginning leads over to something else; 这本书 and 那座磨坊 are what was spoken of. */
const pointedAtZh = /[这那]|此(?:[处事人])/u;
const leadsOver = /^[\s\p{P}]*(?:那么?(?=[^个些种里样本篇座位只条件次时边儿]|$)|然后)/u;

/**
 * The words that a question is about, those of the one before among them where it only points back. There are none
 * where it asks for notes of a time, or for any notes; undefined where it asks for nothing that could be looked for.
 */
export function topicOf({ text, history }: Pick<AgentQuestion, "text" | "history">): readonly string[] | undefined {
  if (isSmallTalk(text)) return undefined;
  const terms = salientTerms(text);
  const time = timePhraseIn(text);
  const timeless = timelessOf(text);
  if (timeless !== text && timeless.replaceAll(goesOn, "") === "") {
    const last = lastTopic(history.slice(-mostBack));
    return last.length > 0 ? last : terms;
  }
  if (terms.length === 0 && (time !== undefined || asksForNotes.test(text))) return terms;
  if (terms.length > 0 && !(pointsBack(timeless) && terms.length <= fewTerms)) return terms;
  const all = [...new Set([...terms, ...lastTopic(history.slice(-mostBack))])].slice(0, mostTerms);
  return all.length > 0 ? all : undefined;
}

/** "This week" points at nothing that was said. */
function timelessOf(text: string): string {
  const time = timePhraseIn(text);
  const rest = time === undefined ? text : withoutTime(text, time);
  const ahead = aheadIn(rest);
  return ahead === undefined ? rest : withoutTime(rest, ahead);
}

function pointsBack(text: string): boolean {
  return spokenOf.test(text) || pointedAt.test(text) || pointedAtZh.test(text.replace(leadsOver, ""));
}

/** What the conversation was about last. */
function lastTopic(history: readonly ConversationMessage[]): readonly string[] {
  const at = history.findLastIndex(({ role }) => role === "user");
  const last = history[at];
  if (last === undefined) return [];
  const before = history.slice(0, at);
  return topicOf({ text: saidIn(last), history: before }) ?? lastTopic(before);
}

import type { ConversationMessage } from "../../message.ts";
import type { AgentQuestion } from "../../runner.ts";
import { saidIn } from "../gathered.ts";
import { salientTerms } from "../notes/salient-terms.ts";
import { isSmallTalk } from "../notes/small-talk.ts";
import { timePhraseIn, withoutTime } from "../notes/time-phrase.ts";

const pointsBack = /\b(?:it|its|they|them|their|this|that|these|those|he|him|his|she|her)\b|[它他她]|这个?|那个?|该/iu;
/** A question that says more than this says what it is about. */
const fewTerms = 3;
const mostTerms = 12;
/** Messages that are looked back at. */
const mostBack = 20;
/** "And last week?" */
const goesOn = /\b(?:and|or|but|what|how|about|also|then|in|the)\b|那么?|还有|呢|的|[\s\p{P}]/giu;
const asksForNotes = /\b(?:notes?|vault|writ(?:e|ing|ten)|wrote|journal|diary|log|logged)\b|笔记|日记|日志|写|记/iu;

/**
 * The words that a question is about, those of the one before among them where it only points back. There are none
 * where it asks for notes of a time, or for any notes; undefined where it asks for nothing that could be looked for.
 */
export function topicOf({ text, history }: Pick<AgentQuestion, "text" | "history">): readonly string[] | undefined {
  if (isSmallTalk(text)) return undefined;
  const terms = salientTerms(text);
  const time = timePhraseIn(text);
  const isOfTime = time !== undefined && withoutTime(text, time).replaceAll(goesOn, "") !== "";
  if (terms.length === 0 && (isOfTime || asksForNotes.test(text))) return terms;
  if (terms.length > 0 && !(pointsBack.test(text) && terms.length <= fewTerms)) return terms;
  const all = [...new Set([...terms, ...lastTopic(history.slice(-mostBack))])].slice(0, mostTerms);
  return all.length > 0 || time !== undefined ? all : undefined;
}

/** What the conversation was about last. */
function lastTopic(history: readonly ConversationMessage[]): readonly string[] {
  const at = history.findLastIndex(({ role }) => role === "user");
  const last = history[at];
  if (last === undefined) return [];
  const before = history.slice(0, at);
  return topicOf({ text: saidIn(last), history: before }) ?? lastTopic(before);
}

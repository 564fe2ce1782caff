import type { ConversationMessage } from "../../message.ts";
import type { AgentQuestion } from "../../runner.ts";
import { saidIn } from "../gathered.ts";
import { salientTerms } from "../notes/salient-terms.ts";
import { isSmallTalk } from "../notes/small-talk.ts";
import { aheadIn, timePhraseIn, withoutTime } from "../notes/time-phrase.ts";
import { isAboutAnswer } from "./about-answer.ts";
import { earlierNotes } from "./earlier-notes.ts";

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

type Asked = Pick<AgentQuestion, "text" | "history">;

/**
 * The words that a question is about, those of the one before among them where it only points back. There are none
 * where it asks for notes of a time, or for any notes; undefined where it asks for nothing that could be looked for.
 */
export function topicOf({ text, history }: Asked): readonly string[] | undefined {
  if (namesNothing({ text, history })) return undefined;
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

/** Thanks, and what is said about an answer that was given, are no questions for notes. */
function namesNothing({ text, history }: Asked): boolean {
  return isSmallTalk(text) || (history.length > 0 && isAboutAnswer(text));
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

/** What the conversation was about last. What nothing was found for is it only where nothing was found for anything. */
function lastTopic(history: readonly ConversationMessage[]): readonly string[] {
  const turns = turnsOf(history);
  for (const turn of [...turns.filter(({ hasFound }) => hasFound), ...turns.filter(({ hasFound }) => !hasFound)]) {
    const topic = topicOf(turn);
    if (topic !== undefined) return topic;
  }
  return [];
}

interface Turn extends Asked {
  /** Notes were shown for it. */
  readonly hasFound: boolean;
}

/** The questions of a conversation, the last first. */
function turnsOf(history: readonly ConversationMessage[]): Turn[] {
  const turns: Turn[] = [];
  let end = history.length;
  for (const [at, message] of [...history.entries()].toReversed()) {
    if (message.role !== "user") continue;
    const hasFound = earlierNotes(history.slice(at, end)).size > 0;
    turns.push({ text: saidIn(message), history: history.slice(0, at), hasFound });
    end = at;
  }
  return turns;
}

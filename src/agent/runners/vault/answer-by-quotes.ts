import type { AnswerSource } from "../../agent-result.ts";
import type { RunnerAnswer } from "../../runner.ts";
import { languageOf } from "../../reasoning/language-of.ts";
import type { FoundPassages } from "./find-passages.ts";
import type { NoteNumbers } from "./note-numbers.ts";
import { type Quote, firstSentences, quoteSentences } from "./quote-sentences.ts";
import { namedTerms, vaultWords } from "./vault-words.ts";

/** An answer without a model: the best sentences of the notes as quotes, each with where it stands. */
export function answerByQuotes(question: string, found: FoundPassages, numbers: NoteNumbers): RunnerAnswer {
  const { passages, terms } = found;
  const isList = terms.length === 0;
  const quotes = isList ? firstSentences(passages) : quoteSentences(passages, terms.join(" "));
  const sources = new Map<number, AnswerSource>();
  const lines = quotes.map((quote) => {
    const { passage, location, text } = quote;
    const number = numbers.of(passage);
    if (!sources.has(number)) sources.set(number, { number, title: passage.title, location, quote: text });
    return quoteLines(quote, { number, isDated: isList });
  });
  return { answer: [headOf(question, found), ...lines].join("\n\n"), sources: [...sources.values()] };
}

function headOf(question: string, { terms, time, missedTime, more }: FoundPassages): string {
  const words = vaultWords[languageOf(question)];
  const isList = terms.length === 0;
  const head = isList ? words.listed(missedTime ? undefined : time) : words.extracted;
  const missed = missedTime && time !== undefined ? [words.otherTimes(time, namedTerms(terms, words))] : [];
  return [head, ...missed, ...(isList && more ? [words.more] : [])].join("\n");
}

interface Shown {
  readonly number: number;
  readonly isDated: boolean;
}

/** Read again by `earlierNotes`. */
function quoteLines({ passage, text, location }: Quote, { number, isDated }: Shown): string {
  const { title, modified } = passage;
  const date = isDated && modified !== "" ? `, ${modified.slice(0, 10)}` : "";
  return `> ${text.replaceAll(/\s+/gu, " ")} [${number}]\n> — ${title} (${location})${date}`;
}

/** The answer where there is nothing to answer from. */
export function nothingFound(question: string, terms: readonly string[]): RunnerAnswer {
  const words = vaultWords[languageOf(question)];
  return { answer: words.nothing(namedTerms(terms, words)), sources: [] };
}

/** The answer where there is nothing to look for. */
export function nothingAsked(question: string): RunnerAnswer {
  return { answer: vaultWords[languageOf(question)].noTopic, sources: [] };
}

import type { AnswerSource } from "../../agent-result.ts";
import type { RunnerAnswer } from "../../runner.ts";
import { languageOf } from "../../reasoning/language-of.ts";
import type { FoundPassages } from "./find-passages.ts";
import { quoteSentences } from "./quote-sentences.ts";
import { vaultWords } from "./vault-words.ts";

/** An answer without a model: the best sentences of the notes as quotes, each with where it stands. */
export function answerByQuotes(question: string, { passages, terms, missedTime }: FoundPassages): RunnerAnswer {
  const words = vaultWords[languageOf(question)];
  const sources: AnswerSource[] = [];
  const quotes = quoteSentences(passages, [...terms, ...(terms.length === 0 ? [question] : [])].join(" "));
  const lines = quotes.map(({ passage, text }) => {
    const { title, location } = passage;
    let number = sources.findIndex((source) => source.location === location) + 1;
    if (number === 0) number = sources.push({ title, location, quote: text });
    const line = text.replaceAll(/\s+/gu, " ");
    return `> ${line} [${number}]\n> — ${title.replaceAll(/\s+/gu, " ")} (${location})`;
  });
  const head = [words.extracted, ...(missedTime === undefined ? [] : [words.otherTimes(missedTime)])].join("\n");
  return { answer: [head, ...lines].join("\n\n"), sources };
}

/** The answer where there is nothing to answer from. */
export function nothingFound(question: string, terms: readonly string[]): RunnerAnswer {
  const { nothing, list } = vaultWords[languageOf(question)];
  const quoted = languageOf(question) === "zh" ? (term: string) => `“${term}”` : (term: string) => `"${term}"`;
  return { answer: nothing(terms.slice(0, 5).map(quoted).join(list)), sources: [] };
}

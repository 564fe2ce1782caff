import { isFailureError } from "../../../base/index.ts";
import type { RunProgram } from "../../../run/index.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentPrompt, Runner, RunnerAnswer } from "../../run/runner.ts";
import { noticeIgnoredCommands } from "../commands/detect-commands.ts";
import { userMessage } from "../prompt-messages.ts";
import { type AnswerGrounds, answerWithCitations, hasNotes } from "./answer-with-citations.ts";
import { earlierNotes } from "./earlier-notes.ts";
import { findPassages, type FoundPassages } from "./find-passages.ts";
import { NoteNumbers, formatTerms } from "./passage.ts";
import { extractTopic } from "./extract-topic.ts";
import type { AnswerSource } from "../../events/agent-result.ts";
import { detectLanguage } from "../../../text/index.ts";
import { type Quote, firstSentences, quoteSentences } from "./quote-sentences.ts";
import { agentTexts } from "../../texts/agent-texts.ts";

/** Answers from the notes of the workspace, with citations; without a model by quoting them. */
export const vaultRunner: Runner = {
  name: "vault",
  worksAlone: true,
  run: answerFromNotes,
};

function* answerFromNotes(run: AgentRun, prompt: AgentPrompt): RunProgram<RunnerAnswer> {
  noticeIgnoredCommands(run, prompt.text);
  run.messages = [...prompt.history, userMessage(prompt, prompt.text)];
  const earlier = earlierNotes(prompt.history);
  const terms = extractTopic(prompt);
  if (terms === undefined) return yield* answer(run, { prompt, passages: undefined, earlier });
  const found = yield* findPassages(run, { prompt, terms });
  // Without any source, no model request is made: the model could only invent an answer.
  if (found.passages.length === 0 && earlier.size === 0) return nothingFoundAnswer(prompt.text, terms);
  return yield* answer(run, { prompt, passages: found, earlier });
}

function* answer(run: AgentRun, grounds: AnswerGrounds): RunProgram<RunnerAnswer> {
  const { prompt, passages } = grounds;
  if (run.model === undefined) return answerAlone(grounds);
  try {
    return yield* answerWithCitations(run, grounds);
  } catch (error) {
    if (run.isCancelled || !isFailureError(error)) throw error;
    const params = { message: error.message, quotesNotes: hasNotes(passages) };
    run.notice({ code: "model_without_answer", params });
    run.messages = [...prompt.history, userMessage(prompt, prompt.text)];
    return answerAlone(grounds);
  }
}

function answerAlone({ prompt, passages, earlier }: AnswerGrounds): RunnerAnswer {
  if (passages === undefined) return { answer: agentTexts[detectLanguage(prompt.text)].vault.noTopic, sources: [] };
  if (!hasNotes(passages)) return nothingFoundAnswer(prompt.text, passages.terms);
  return answerByQuotes(prompt.text, passages, new NoteNumbers(earlier));
}

/** An answer without a model: the best sentences of the notes as quotes, each with its location. */
function answerByQuotes(prompt: string, found: FoundPassages, numbers: NoteNumbers): RunnerAnswer {
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
  return { answer: [headOf(prompt, found), ...lines].join("\n\n"), sources: [...sources.values()] };
}

function headOf(prompt: string, { terms, time, missedTime, more }: FoundPassages): string {
  const texts = agentTexts[detectLanguage(prompt)];
  const { vault } = texts;
  const isList = terms.length === 0;
  const head = isList ? vault.listed(missedTime ? undefined : time) : vault.extracted;
  const missed = missedTime && time !== undefined ? [vault.otherTimes(time, formatTerms(terms, texts))] : [];
  return [head, ...missed, ...(isList && more ? [vault.more] : [])].join("\n");
}

/** `earlierNotes` parses this format. */
function quoteLines(
  { passage, text, location }: Quote,
  { number, isDated }: { readonly number: number; readonly isDated: boolean },
): string {
  const { title, modified } = passage;
  const date = isDated && modified !== "" ? `, ${modified.slice(0, 10)}` : "";
  return `> ${text.replaceAll(/\s+/gu, " ")} [${number}]\n> — ${title} (${location})${date}`;
}

/** The answer if there is no source for one. */
function nothingFoundAnswer(prompt: string, terms: readonly string[]): RunnerAnswer {
  const texts = agentTexts[detectLanguage(prompt)];
  return { answer: texts.vault.nothing(formatTerms(terms, texts)), sources: [] };
}

import { isFailureError } from "../../../base/index.ts";
import type { Flow } from "../../flow/flow.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentQuestion, Runner, RunnerAnswer } from "../../runner.ts";
import { noteCommands } from "../commands/meant-commands.ts";
import { userMessage } from "../user-message.ts";
import { answerByQuotes, nothingAsked, nothingFound } from "./answer-by-quotes.ts";
import { type Grounds, answerWithCitations, hasNotes } from "./answer-with-citations.ts";
import { earlierNotes } from "./earlier-notes.ts";
import { findPassages } from "./find-passages.ts";
import { NoteNumbers } from "./note-numbers.ts";
import { topicOf } from "./topic-of.ts";

/** Answers from the notes of the workspace, with citations; without a model by quoting them. */
export const vaultRunner: Runner = {
  name: "vault",
  worksAlone: true,
  run: answerFromNotes,
};

function* answerFromNotes(run: AgentRun, question: AgentQuestion): Flow<RunnerAnswer> {
  noteCommands(run, question.text);
  run.messages = [...question.history, userMessage(question, question.text)];
  const earlier = earlierNotes(question.history);
  const terms = topicOf(question);
  if (terms === undefined) return yield* answer(run, { question, found: undefined, earlier });
  const found = yield* findPassages(run, { question, terms });
  // Where there is nothing to answer from, nobody is asked to make something up.
  if (found.passages.length === 0 && earlier.size === 0) return nothingFound(question.text, terms);
  return yield* answer(run, { question, found, earlier });
}

function* answer(run: AgentRun, grounds: Grounds): Flow<RunnerAnswer> {
  const { question, found } = grounds;
  if (run.model === undefined) return answerAlone(grounds);
  try {
    return yield* answerWithCitations(run, grounds);
  } catch (error) {
    if (run.isCancelled || !isFailureError(error)) throw error;
    const instead = hasNotes(found) ? "; the notes are quoted instead" : "";
    run.note(`the model gave no answer (${error.message})${instead}`);
    run.messages = [...question.history, userMessage(question, question.text)];
    return answerAlone(grounds);
  }
}

function answerAlone({ question, found, earlier }: Grounds): RunnerAnswer {
  if (found === undefined) return nothingAsked(question.text);
  if (!hasNotes(found)) return nothingFound(question.text, found.terms);
  return answerByQuotes(question.text, found, new NoteNumbers(earlier));
}

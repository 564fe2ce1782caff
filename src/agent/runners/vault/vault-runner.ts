import { isFailureError } from "../../../base/index.ts";
import type { Flow } from "../../flow/flow.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentQuestion, Runner, RunnerAnswer } from "../../runner.ts";
import { userMessage } from "../user-message.ts";
import { answerByQuotes, nothingFound } from "./answer-by-quotes.ts";
import { answerWithCitations } from "./answer-with-citations.ts";
import { findPassages } from "./find-passages.ts";

/** Answers from the notes of the workspace, with citations; without a model by quoting them. */
export const vaultRunner: Runner = {
  name: "vault",
  worksAlone: true,
  run: answerFromNotes,
};

function* answerFromNotes(run: AgentRun, question: AgentQuestion): Flow<RunnerAnswer> {
  run.messages = [...question.history, userMessage(question, question.text)];
  const found = yield* findPassages(run, question);
  // Where there is nothing to answer from, nobody is asked to make something up.
  if (found.passages.length === 0) return nothingFound(question.text, found.terms);
  if (run.model === undefined) return answerByQuotes(question.text, found);
  try {
    return yield* answerWithCitations(run, question, found);
  } catch (error) {
    if (run.isCancelled || !isFailureError(error)) throw error;
    run.note(`the model gave no answer (${error.message}); the notes are quoted instead`);
    run.messages = [...question.history, userMessage(question, question.text)];
    return answerByQuotes(question.text, found);
  }
}

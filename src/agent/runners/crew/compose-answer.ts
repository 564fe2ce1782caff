import { FailureError, failure, isFailureError } from "../../../base/index.ts";
import { dataRule, fenceData } from "../../../text/index.ts";
import type { AgentStep } from "../../agent-result.ts";
import type { Flow } from "../../flow/flow.ts";
import { converse } from "../../loop/converse.ts";
import type { RunnerAnswer } from "../../runner.ts";
import { systemPrompt } from "../system-prompt.ts";
import { userMessage } from "../user-message.ts";
import { verifyResult } from "../../verify/verify-result.ts";
import type { Crew } from "./crew.ts";
import type { CrewOptions } from "./crew-options.ts";
import type { StepOutcome } from "./step-outcome.ts";
import type { StepWork } from "./step-work.ts";
import { noteUnverified, wrongWith } from "./verify-step.ts";

/**
 * Makes the answer of what the steps gave: the model words it from all of them, or it is the last result that is not
 * empty. Where no step gave anything, the failure of the last one is the run's.
 */
export function* coordinate(crew: Crew, { answer: who }: CrewOptions): Flow<RunnerAnswer> {
  const { works } = crew;
  const last = lastResult(works);
  if (last === undefined) throw nothing(works);
  // What a tool gave is data for whoever asked; what the model thought of is in words already.
  const isWorded = who === "model" || (who === "auto" && (works.length > 1 || last.outcome.by !== "reasoning"));
  const worded = isWorded ? yield* wordOrNone(crew) : undefined;
  return { answer: worded ?? marked(crew, last), steps: works.map(toReport) };
}

interface Done extends StepWork {
  readonly outcome: StepOutcome;
}

function isDone(work: StepWork): work is Done {
  return work.outcome !== undefined && work.outcome.text.trim() !== "";
}

/** One that found nothing counts where no other found something. */
function lastResult(works: readonly StepWork[]): Done | undefined {
  const done = works.filter(isDone);
  return done.findLast(({ outcome }) => !outcome.isEmpty) ?? done.at(-1);
}

function nothing(works: readonly StepWork[]): FailureError {
  const failed = works.findLast(({ error }) => error !== undefined);
  const error = failed?.error ?? failure("execution_error", "no step gave a result");
  return new FailureError(`no step gave a result; ${failed?.step.id ?? "the last"}: ${error.message}`, { ...error });
}

/** The answer in the model's words; undefined where the model gives none, and the last result has to do. */
function* wordOrNone(crew: Crew): Flow<string | undefined> {
  const { run, works } = crew;
  try {
    const answer = yield* word(crew);
    const earlier = works.filter(isDone).map(({ step, outcome }) => ({ id: step.id, text: outcome.text }));
    noteUnverified(run, "the answer", verifyResult(answer, { earlier }));
    return answer;
  } catch (error) {
    if (!isFailureError(error) || run.isCancelled) throw error;
    run.note(`the model could not word the answer (${error.message}): the last result is given as it is`);
    return undefined;
  }
}

function word({ run, question, works }: Crew): Flow<string> {
  const prompt = [question.text, "These steps were done to answer it:", ...works.map(told)].join("\n\n");
  const system = run.family.systemPrompt(systemPrompt(run, [rules, dataRule]), []);
  const messages = [...question.history, userMessage(question, run.family.userMessage(prompt, false))];
  return converse(run, { part: "main", system, messages, tools: undefined, maxRounds: 0 });
}

const rules =
  "Answer the question from the results of the steps. Do not add what they do not say, and do not tell how they were " +
  "done. Where a step failed or its result is not verified, and the answer rests on it, say so.";

function told({ step, outcome, error }: StepWork): string {
  const head = `${step.id}: ${step.description}`;
  if (outcome === undefined) return `${head}\nIt failed:\n${fenceData(step.id, error?.forModel ?? "it was not done")}`;
  const { verified, issues } = outcome.verification;
  const doubt = verified ? [] : [`It is not verified:\n${fenceData("issues", wrongWith(issues))}`];
  return [head, fenceData(step.id, outcome.text), ...doubt].join("\n");
}

/** The result as it is, and what is wrong with it. */
function marked({ question }: Crew, { outcome }: Done): string {
  const { verified, issues } = outcome.verification;
  if (verified) return outcome.text;
  const isChinese = /\p{Script=Han}/u.test(question.text);
  return `${outcome.text}\n\n${isChinese ? "（未通过核对：" : "(Not verified: "}${wrongWith(issues)}${isChinese ? "）" : ")"}`;
}

function toReport({ step, outcome, error }: StepWork): AgentStep {
  const { id, description, toolType: tool, dependencies, complexity } = step;
  const about = { id, description, tool, dependencies, complexity };
  if (outcome === undefined) return { ...about, status: "failed", ...(error !== undefined && { error }) };
  const { by, tool: called, text, verification } = outcome;
  return { ...about, status: "success", by, ...(called !== undefined && { called }), text, verification };
}

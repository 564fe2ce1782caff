import { FailureError, failure, isFailureError } from "../../../base/index.ts";
import { detectLanguage, fencedDataRule, fenceData } from "../../../text/index.ts";
import type { AgentStep } from "../../events/agent-result.ts";
import type { RunProgram } from "../../../run/index.ts";
import { runAgentLoop } from "../../loop/agent-loop.ts";
import type { RunnerAnswer } from "../../run/runner.ts";
import { systemPrompt } from "../system-prompt.ts";
import { userMessage } from "../user-message.ts";
import { verifyResult } from "../../verify/verify-result.ts";
import type { Crew } from "./crew.ts";
import type { CrewOptions } from "../options/runner-options.ts";
import type { StepOutcome } from "./step-outcome.ts";
import type { CrewStepState } from "./crew-step-state.ts";
import { agentTexts } from "../../texts/agent-texts.ts";
import { noteUnverified, formatVerificationIssues } from "./verify-step.ts";

/**
 * Composes the answer from the results of the steps: the model writes it from all of them, or it is the last result
 * that is not empty. If no step has a result, the run fails with the failure of the last one.
 */
export function* composeAnswer(crew: Crew, { answer }: CrewOptions): RunProgram<RunnerAnswer> {
  const { works } = crew;
  const last = lastResult(works);
  if (last === undefined) throw nothing(works);
  // The result of a tool is raw data for the user; the result of reasoning is already prose.
  const isWorded = answer === "model" || (answer === "auto" && (works.length > 1 || last.outcome.by !== "reasoning"));
  const worded = isWorded ? yield* wordOrNone(crew) : undefined;
  return { answer: worded ?? marked(crew, last), steps: works.map(toReport) };
}

interface Done extends CrewStepState {
  readonly outcome: StepOutcome;
}

function isDone(work: CrewStepState): work is Done {
  return work.outcome !== undefined && work.outcome.text.trim() !== "";
}

/** An empty result counts only if there is no other. */
function lastResult(works: readonly CrewStepState[]): Done | undefined {
  const done = works.filter(isDone);
  return done.findLast(({ outcome }) => !outcome.isEmpty) ?? done.at(-1);
}

function nothing(works: readonly CrewStepState[]): FailureError {
  const failed = works.findLast(({ error }) => error !== undefined);
  const error = failed?.error ?? failure("execution_error", "no step gave a result");
  return new FailureError(`no step gave a result; ${failed?.step.id ?? "the last"}: ${error.message}`, { ...error });
}

/** The answer as written by the model; undefined if the model gives none, and the last result has to suffice. */
function* wordOrNone(crew: Crew): RunProgram<string | undefined> {
  const { run, works } = crew;
  try {
    const answer = yield* word(crew);
    const earlier = works.filter(isDone).map(({ step, outcome }) => ({ id: step.id, text: outcome.text }));
    noteUnverified(run, undefined, verifyResult(answer, { earlier }));
    return answer;
  } catch (error) {
    if (!isFailureError(error) || run.isCancelled) throw error;
    run.notice({ code: "answer_not_written", params: { message: error.message } });
    return undefined;
  }
}

function word({ run, prompt: userPrompt, works }: Crew): RunProgram<string> {
  const prompt = [userPrompt.text, "These steps were done to answer it:", ...works.map(describeStepResult)].join(
    "\n\n",
  );
  const system = run.family.systemPrompt(systemPrompt(run, [rules, fencedDataRule]), []);
  const messages = [...userPrompt.history, userMessage(userPrompt, run.family.userMessage(prompt, false))];
  return runAgentLoop(run, { part: "main", system, messages, tools: undefined, maxRounds: 0 });
}

const rules =
  "Answer the question from the results of the steps. Do not add what they do not say, and do not describe how they " +
  "were done. Where a step failed or its result is not verified, and the answer rests on it, say so.";

function describeStepResult({ step, outcome, error }: CrewStepState): string {
  const head = `${step.id}: ${step.description}`;
  if (outcome === undefined) return `${head}\nIt failed:\n${fenceData(step.id, error?.forModel ?? "it was not done")}`;
  const { verified, issues } = outcome.verification;
  const doubt = verified ? [] : [`It is not verified:\n${fenceData("issues", formatVerificationIssues(issues))}`];
  return [head, fenceData(step.id, outcome.text), ...doubt].join("\n");
}

/** The unchanged result, with its issues. */
function marked({ prompt }: Crew, { outcome }: Done): string {
  const { verified, issues } = outcome.verification;
  if (verified) return outcome.text;
  const { notVerified } = agentTexts[detectLanguage(prompt.text)];
  return `${outcome.text}\n\n${notVerified(formatVerificationIssues(issues))}`;
}

function toReport({ step, outcome, error }: CrewStepState): AgentStep {
  const { id, description, toolType: tool, dependencies, complexity } = step;
  const about = { id, description, tool, dependencies, complexity };
  if (outcome === undefined) return { ...about, status: "failed", ...(error !== undefined && { error }) };
  const { by, tool: called, text, verification } = outcome;
  return { ...about, status: "success", by, ...(called !== undefined && { called }), text, verification };
}

import { fail, FailureError, failure, isFailureError } from "../../../base/index.ts";
import type { PlannedStep } from "../../events/agent-notice.ts";
import { runSubChain } from "../../../chain/index.ts";
import type { Runner, AgentPrompt, RunnerAnswer } from "../../run/runner.ts";
import { noticeIgnoredCommands } from "../commands/detect-commands.ts";
import { userMessage, systemPrompt } from "../prompt-messages.ts";
import { Crew } from "./crew.ts";
import { type CrewOptions, crewTable, readRunnerOptions } from "../options/runner-options.ts";
import { toChain } from "./to-chain.ts";
import { plannerToolList } from "../../../hub/index.ts";
import { detectLanguage, fencedDataRule, fenceData } from "../../../text/index.ts";
import type { RunProgram } from "../../../run/index.ts";
import { rankTools } from "../../loop/choose-tools.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { requestJson } from "../request-json.ts";
import { type CrewStep, noTool, type StepOutcome, type CrewStepState } from "./crew-step.ts";
import { type ParsedCrewPlan, parseCrewPlan } from "./plan/parse-crew-plan.ts";
import type { AgentStep } from "../../events/agent-result.ts";
import { runAgentLoop } from "../../loop/agent-loop.ts";
import { verifyResult } from "../../verify/verify-result.ts";
import { agentTexts } from "../../texts/agent-texts.ts";
import { noteUnverified, formatVerificationIssues } from "./verify-step.ts";

/**
 * A planner breaks the prompt into steps, which run as a chain, each with its tool, with another one of the same
 * capability or by reasoning; their results are verified and combined into the answer.
 */
export const crewRunner: Runner = {
  name: "crew",
  *run(run, prompt) {
    noticeIgnoredCommands(run, prompt.text);
    const options = readCrewOptions(run);
    run.messages = [...prompt.history, userMessage(prompt, prompt.text)];
    const steps = yield* createCrewPlan(run, prompt, options);
    const crew = new Crew(run, prompt, steps);
    const plan = toChain(steps, run.spec.maxParallel);
    yield* runSubChain({ key: "crew", plan, input: {}, onEvent: undefined, own: crew.tools });
    if (run.isCancelled) throw fail("the run was cancelled", { code: "cancelled" });
    return yield* composeAnswer(crew, options);
  },
};

/**
 * Breaks a prompt into steps: requests a plan once, and once more if the plan has issues. The last plan with usable steps
 * counts; if there is none, the prompt itself is the only step, done by reasoning without a tool.
 */
function* createCrewPlan(
  run: AgentRun,
  prompt: AgentPrompt,
  { maxSteps }: CrewOptions,
): RunProgram<readonly CrewStep[]> {
  let round = 0;
  let usable: ParsedCrewPlan | undefined;
  const last = yield* requestJson(run, {
    turnRef: () => ({ part: "plan", round: ++round }),
    system: systemPrompt(run, plannerRules(run, prompt, maxSteps)),
    messages: [...prompt.history, userMessage(prompt, prompt.text)],
    read: (answer) => {
      const parsed = parseCrewPlan(answer, { maxSteps });
      if (parsed.steps.length > 0) usable = parsed;
      return parsed;
    },
  });
  const plan = usable ?? last;
  const steps = plan.steps.length > 0 ? plan.steps : [wholeStep(prompt)];
  if (plan.steps.length === 0) {
    run.notice({ code: "plan_unusable", params: { issues: plan.issues, instead: "one_step" } });
  }
  for (const notice of plan.notices) run.notice(notice);
  if (run.hasListener) run.emitNotice({ code: "plan_made", params: { steps: steps.map(toPlannedStep) } });
  return steps;
}

function wholeStep({ text }: AgentPrompt): CrewStep {
  return { id: "step-1", description: text, toolType: noTool, dependencies: [], complexity: "medium" };
}

function plannerRules(run: AgentRun, prompt: AgentPrompt, maxSteps: number): string[] {
  const order = rankTools(run, prompt.text);
  const offered = new Set(order);
  const { text, names } = plannerToolList(run.engine.tools, {
    order,
    isOffered: (tool) => offered.has(tool),
    language: detectLanguage(prompt.text),
  });
  run.noteDefinitions(order.filter(({ name }) => names.includes(name)));
  return [
    "You do not answer the question yourself: you plan how others answer it. Break it into the fewest steps that lead " +
      `to the answer, ${maxSteps} at most; one step is enough where no more is needed. Answer with one JSON object and ` +
      "nothing else:",
    '{"steps": [{"id": "1", "description": "…", "tool_type": "…", "dependencies": [], "complexity": "low", "input": {}}]}',
    [
      "- description: what is to be found out or done, complete in itself, with all names, numbers and calculations of " +
        "the question, in its language. The executor of the step sees this and the results of its dependencies.",
      "- tool_type: the name of one tool of the list below, or none to think without a tool.",
      "- dependencies: the ids of the steps whose results it needs, and no others. Steps that do not wait for each other " +
        "run at the same time.",
      "- complexity: low, medium or high.",
      "- input: the arguments of the tool, where they are known already; leave it out otherwise.",
    ].join("\n"),
    `The tools:\n${text}`,
  ];
}

function toPlannedStep({ id, description, toolType: tool, dependencies }: CrewStep): PlannedStep {
  return { id, description, tool, dependencies };
}

const maxPlanSteps = 50;

/** Reads the options of the crew; invalid options add a notice. */
function readCrewOptions(run: AgentRun): CrewOptions {
  const { maxSteps, answer } = readRunnerOptions(run, crewTable);
  return { maxSteps: Math.min(maxSteps, maxPlanSteps), answer };
}

/**
 * Composes the answer from the results of the steps: the model writes it from all of them, or it is the last result
 * that is not empty. If no step has a result, the run fails with the failure of the last one.
 */
function* composeAnswer(crew: Crew, { answer }: CrewOptions): RunProgram<RunnerAnswer> {
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

import { type Failure, FailureError, fail, failure, isFailureError, definedOnly } from "../../../base/index.ts";
import type { ProgramTool } from "../../../chain/index.ts";
import { type RunProgram, recordValue, type ToolCallOutcome } from "../../../run/index.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentPrompt } from "../../run/runner.ts";
import { isRecord } from "../../../schema/index.ts";
import { formatResult, viewText } from "../../../hub/index.ts";
import type { ToolResult } from "../../../tool/index.ts";
import { callObserved } from "../../loop/observed-call.ts";
import { modelFailure, textOfTurn } from "../../../model/index.ts";
import { cutText, fencedDataRule, fenceData } from "../../../text/index.ts";
import { requestModel } from "../../loop/request-model.ts";
import { type ConversationMessage, textMessage } from "../../events/message.ts";
import { systemPrompt, userMessage } from "../prompt-messages.ts";
import type { Verification } from "../../verify/verification.ts";
import { quoteModelAnswer } from "../request-json.ts";
import { type CrewStep, noTool, type StepOutcome, CrewStepState } from "./crew-step.ts";
import { type StepTool, toolByCapability, toolByName } from "./step-tool.ts";
import { crewTools } from "./to-chain.ts";
import { noteUnverified, verifyStep } from "./verify-step.ts";
import { type FillInputOptions, fillInput, inputIssues } from "./input/fill-input.ts";
import { type Arguments, expressionOf, inputByRule } from "./input/input-by-rule.ts";

/** Executes the steps of a plan, and holds their state. */
export class Crew {
  readonly run: AgentRun;
  readonly prompt: AgentPrompt;
  /** In the order of the plan. */
  readonly works: readonly CrewStepState[];
  readonly #byId: ReadonlyMap<string, CrewStepState>;

  constructor(run: AgentRun, prompt: AgentPrompt, steps: readonly CrewStep[]) {
    this.run = run;
    this.prompt = prompt;
    const byId = new Map<string, CrewStepState>();
    const bases = new Map(steps.map(({ id }) => [id, [] as CrewStepState[]]));
    for (const step of steps) byId.set(step.id, new CrewStepState(step, bases.get(step.id) ?? []));
    for (const { id, dependencies } of steps) {
      bases.get(id)?.push(...dependencies.flatMap((dependency) => byId.get(dependency) ?? []));
    }
    this.#byId = byId;
    this.works = [...byId.values()];
  }

  /** The tools that the steps of its chain call. */
  get tools(): ReadonlyMap<string, ProgramTool> {
    const tool = (does: (work: CrewStepState) => RunProgram<StepOutcome>): ProgramTool => {
      return ({ args }) => this.#do(this.#workOf(args), does);
    };
    return new Map([
      [crewTools.call, tool((work) => this.#byName(work))],
      [crewTools.capability, tool((work) => this.#byCapability(work))],
      [crewTools.reason, tool((work) => this.#byReasoning(work))],
    ]);
  }

  #workOf(args: unknown): CrewStepState {
    // Written by `toChain`.
    const { step } = args as { readonly step: string };
    const work = this.#byId.get(step);
    if (work === undefined) throw new TypeError(`the plan has no ${step}`);
    return work;
  }

  /** Stores the outcome of a step, or its error. */
  *#do(work: CrewStepState, does: (work: CrewStepState) => RunProgram<StepOutcome>): RunProgram<StepOutcome> {
    try {
      const outcome = yield* does(work);
      work.outcome = outcome;
      return outcome;
    } catch (error) {
      if (isFailureError(error)) work.error = error.toFailure();
      throw error;
    }
  }

  *#byName(work: CrewStepState): RunProgram<StepOutcome> {
    const target = yield* toolByName(this.run, work.step);
    if ("code" in target) throw thrown(target);
    work.tried = target.tool;
    return yield* this.#use(work, target, "tool");
  }

  *#byCapability(work: CrewStepState): RunProgram<StepOutcome> {
    const { step, error } = work;
    const target = work.isBeyondTools ? undefined : yield* toolByCapability(this.run, step, work.tried);
    if (target === undefined) throw thrown(error ?? failure("not_available", `nothing else can do ${step.id}`));
    this.#noticeReplaced(work, target.name);
    return yield* this.#use(work, target, "capability");
  }

  *#byReasoning(work: CrewStepState): RunProgram<StepOutcome> {
    if (work.step.toolType !== noTool) this.#noticeReplaced(work);
    return yield* reasonStep(this, work);
  }

  #noticeReplaced({ step, error }: CrewStepState, replacement?: string): void {
    const message = error?.message.slice(0, 300).toWellFormed();
    const params = {
      step: step.id,
      tool: step.toolType,
      ...definedOnly({ replacement, message }),
    };
    this.run.notice({ code: "step_tool_replaced", params });
  }

  *#use(work: CrewStepState, target: StepTool, by: "tool" | "capability"): RunProgram<StepOutcome> {
    const args = yield* this.#inputOf(work, target, by);
    const { result, effect, text, view, isEmpty } = yield* callForStep(this.run, { work, target, by, args });
    // A call that may have been partly done is not repeated with another tool.
    if (effect === "idempotent" || effect === "once") work.isBeyondTools = true;
    if (!result.success) throw thrown(unanswered(result.error));
    const verification = verifyStep(this, work, text, target.kind === "time");
    noteUnverified(this.run, work.step.id, verification);
    return { by, tool: target.name, text, view, isEmpty, verification };
  }

  *#inputOf(work: CrewStepState, target: StepTool, by: string): RunProgram<Readonly<Record<string, unknown>>> {
    const { step, bases } = work;
    try {
      return yield* prepareInput(this.run, {
        key: `${step.id}.${by}.input`,
        turnRef: () => work.turnRef(),
        target,
        prompt: this.prompt.text,
        description: step.description,
        providedArgs: step.input,
        results: bases.flatMap(({ outcome, step: { id } }) =>
          outcome === undefined ? [] : [{ id, text: outcome.view }],
        ),
      });
    } catch (error) {
      if (isFailureError(error) && error.reason === nothingToCalculate) work.isBeyondTools = true;
      throw error;
    }
  }
}

function thrown(error: Failure): FailureError {
  return new FailureError(error.message, { ...error });
}

/** An approval that was requested and cannot be requested again: no fallback requests it in another way, either. */
function unanswered(error: Failure): Failure {
  if (error.code !== "approval_required") return error;
  return fail(error.message, { code: "permission_denied", reason: "rejected" }).toFailure();
}

/** A failure with this reason is independent of the tool: no other tool could do more. */
const nothingToCalculate = "nothing_to_calculate";

/**
 * The arguments of a step's call: those of the planner if they are valid, those that a rule finds for tools of
 * calculation, search, time and history, otherwise those that the model fills in. A calculation step without a
 * calculation fails at once.
 */
function* prepareInput(run: AgentRun, parts: FillInputOptions): RunProgram<Arguments> {
  const { target, providedArgs, description } = parts;
  const source = { description, providedArgs, results: parts.results.map(({ text }) => text) };
  if (target.kind === "calculate" && expressionOf(source) === undefined) {
    throw fail(`there is nothing to calculate in ${JSON.stringify(description.slice(0, 80).toWellFormed())}`, {
      code: "validation_error",
      reason: nothingToCalculate,
    });
  }
  return (yield* recordValue(parts.key, () => ready(run, parts) ?? null)) ?? (yield* fillInput(run, parts));
}

/** Valid arguments that need no model request. */
function ready(run: AgentRun, { target, providedArgs, description, results }: FillInputOptions): Arguments | undefined {
  const { kind, schema } = target;
  const fits = (args: Arguments): boolean => inputIssues(run, target, args).length === 0;
  // The planner could not know results that the step depends on.
  if (providedArgs !== undefined && results.length === 0 && fits(providedArgs)) return providedArgs;
  const ruled = inputByRule(kind, schema, {
    description,
    providedArgs,
    results: results.map(({ text }) => text),
  });
  if (ruled !== undefined && fits(ruled)) return ruled;
  const { properties } = schema;
  const takesNothing = isRecord(properties) && Object.keys(properties).length === 0;
  return takesNothing && fits({}) ? {} : undefined;
}

/** The call of a step. */
interface CrewCall {
  readonly work: CrewStepState;
  readonly target: StepTool;
  /** Part of its key: a step makes at most one call of each kind. */
  readonly by: "tool" | "capability";
  readonly args: unknown;
}

/** Outcome of a call, in the forms in which it is shown. */
interface Called extends ToolCallOutcome {
  /** Short form, by the kind of the tool. */
  readonly text: string;
  /** The shown part of a result, and how to read more. */
  readonly view: string;
  readonly isEmpty: boolean;
}

/** Makes the call of a step and emits its events. */
function* callForStep(run: AgentRun, { work, target, by, args }: CrewCall): RunProgram<Called> {
  const { name: tool, kind } = target;
  const key = `${work.step.id}.${by}`;
  const turnRef = work.turnRef();
  // The plan is the model's; a rule chooses the fallback tool.
  const initiator = by === "tool" ? "model" : "runner";
  const request = { turnRef, initiator, key, callId: key, tool, args, dedupeKey: undefined, effect: "once" } as const;
  const called = yield* callObserved(run, request);
  const { result } = called;
  const { text, cut } = formatResult(result, kind);
  return { ...called, text, view: cut ? viewOf(run, result) : text, isEmpty: isEmpty(result) };
}

function viewOf({ spec }: AgentRun, result: ToolResult): string {
  if (!result.success) return result.error.forModel;
  const { handle } = result.meta;
  return viewText(result, spec.resultChars, typeof handle === "string" ? handle : undefined).text;
}

/** True for nothing, or an object whose only list is empty: a search that found nothing. */
function isEmpty(result: ToolResult): boolean {
  if (!result.success) return false;
  const { output } = result;
  if (output === null || output === undefined) return true;
  if (typeof output === "string") return output.trim() === "";
  if (Array.isArray(output)) return output.length === 0;
  if (!isRecord(output)) return false;
  const lists = Object.values(output).filter((value) => Array.isArray(value));
  return Object.keys(output).length === 0 || (lists.length === 1 && lists[0]?.length === 0);
}

/**
 * Does a step by reasoning: the model answers it from its knowledge and from the results of the step's dependencies. An
 * implausible answer is requested once more, with the issues; the better of the two counts.
 */
function* reasonStep(crew: Crew, work: CrewStepState): RunProgram<StepOutcome> {
  const { run, prompt } = crew;
  const messages = [...prompt.history, userMessage(prompt, run.family.userMessage(promptOf(crew, work), false))];
  const first = yield* answer(crew, work, messages);
  const best = first.verification.verified ? first : yield* requestReasoningAgain(crew, work, { messages, first });
  noteUnverified(run, work.step.id, best.verification);
  const { text, verification } = best;
  return { by: "reasoning", text, view: cutText(text, run.spec.resultChars).text, isEmpty: false, verification };
}

interface StepReply {
  readonly text: string;
  readonly verification: Verification;
}

function* answer(crew: Crew, work: CrewStepState, messages: readonly ConversationMessage[]): RunProgram<StepReply> {
  const { run } = crew;
  const system = run.family.systemPrompt(systemPrompt(run, [fencedDataRule]), []);
  const turn = yield* requestModel(run, work.turnRef(), { system, messages });
  const text = textOfTurn(turn).trim();
  if (text === "") throw modelFailure("invalid_output", `the model ${JSON.stringify(turn.modelId)} answered nothing`);
  if (turn.finishReason === "length") run.notice({ code: "step_cut_off", params: { step: work.step.id } });
  return { text, verification: verifyStep(crew, work, text) };
}

function* requestReasoningAgain(
  crew: Crew,
  work: CrewStepState,
  { messages, first }: { readonly messages: readonly ConversationMessage[]; readonly first: StepReply },
): RunProgram<StepReply> {
  const complaint = [
    "That cannot be right:",
    ...first.verification.issues.map(({ message }) => `- ${message}`),
    "Check it, and answer the same again with this put right; where it is right after all, say why.",
  ].join("\n");
  try {
    const second = yield* answer(crew, work, [...messages, ...quoteModelAnswer(first.text), textMessage(complaint)]);
    return second.verification.confidence >= first.verification.confidence ? second : first;
  } catch (error) {
    // The first answer remains, if a doubtful one.
    if (!isFailureError(error) || crew.run.isCancelled) throw error;
    return first;
  }
}

function promptOf({ prompt, works }: Crew, work: CrewStepState): string {
  const { step } = work;
  if (works.length === 1 && step.toolType === noTool) return prompt.text;
  return [
    `The question that is being answered in ${works.length} steps: ${prompt.text}`,
    `Do this step of it, and nothing else: ${step.description}`,
    ...work.bases.map(resultOf),
    ...failedTool(work),
    "Answer with the result of this step, in a few sentences.",
  ].join("\n\n");
}

/** Result of a step, for the steps that depend on it. */
function resultOf({ step, outcome, error }: CrewStepState): string {
  if (outcome !== undefined) return `What ${step.id} gave (${step.description}):\n${fenceData(step.id, outcome.view)}`;
  return `${step.id} (${step.description}) gave nothing:\n${fenceData(step.id, error?.forModel ?? "it was not done")}`;
}

function failedTool({ step, error }: CrewStepState): string[] {
  if (step.toolType === noTool || error === undefined) return [];
  return [
    "It was meant to be done with a tool, which failed:",
    fenceData("failure", error.forModel),
    "Do it as far as you can without. Say what remains uncertain, and do not say that anything was looked up or done.",
  ];
}

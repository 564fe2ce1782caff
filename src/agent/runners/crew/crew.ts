import { type Failure, FailureError, fail, failure, isFailureError } from "../../../base/index.ts";
import type { OwnTool } from "../../flow/own-step.ts";
import type { Flow } from "../../flow/flow.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentQuestion } from "../../runner.ts";
import { callForStep } from "./call-for-step.ts";
import { nothingToCalculate, prepareInput } from "./input/prepare-input.ts";
import { type CrewStep, noTool } from "./plan/crew-step.ts";
import { reason } from "./reason.ts";
import type { StepOutcome } from "./step-outcome.ts";
import { type StepTool, toolByCapability, toolByName } from "./step-tool.ts";
import { StepWork } from "./step-work.ts";
import { crewTools } from "./to-chain.ts";
import { noteUnverified, verifyStep } from "./verify-step.ts";

/** Those who do the steps of a plan, and what they have come to. */
export class Crew {
  readonly run: AgentRun;
  readonly question: AgentQuestion;
  /** In the order of the plan. */
  readonly works: readonly StepWork[];
  readonly #byId: ReadonlyMap<string, StepWork>;

  constructor(run: AgentRun, question: AgentQuestion, steps: readonly CrewStep[]) {
    this.run = run;
    this.question = question;
    const byId = new Map<string, StepWork>();
    const bases = new Map(steps.map(({ id }) => [id, [] as StepWork[]]));
    for (const step of steps) byId.set(step.id, new StepWork(step, bases.get(step.id) ?? []));
    for (const { id, dependencies } of steps) {
      bases.get(id)?.push(...dependencies.flatMap((dependency) => byId.get(dependency) ?? []));
    }
    this.#byId = byId;
    this.works = [...byId.values()];
  }

  /** What the steps of its chain call. */
  get tools(): ReadonlyMap<string, OwnTool> {
    const tool = (does: (work: StepWork) => Flow<StepOutcome>): OwnTool => {
      return ({ args }) => this.#do(this.#workOf(args), does);
    };
    return new Map([
      [crewTools.call, tool((work) => this.#byName(work))],
      [crewTools.capability, tool((work) => this.#byCapability(work))],
      [crewTools.reason, tool((work) => this.#byReasoning(work))],
    ]);
  }

  #workOf(args: unknown): StepWork {
    // Written by `toChain`.
    const { step } = args as { readonly step: string };
    const work = this.#byId.get(step);
    if (work === undefined) throw new TypeError(`the plan has no ${step}`);
    return work;
  }

  /** What a step comes to is kept, also where it is nothing. */
  *#do(work: StepWork, does: (work: StepWork) => Flow<StepOutcome>): Flow<StepOutcome> {
    try {
      const outcome = yield* does(work);
      work.outcome = outcome;
      return outcome;
    } catch (error) {
      if (isFailureError(error)) work.error = error.toFailure();
      throw error;
    }
  }

  *#byName(work: StepWork): Flow<StepOutcome> {
    const target = yield* toolByName(this.run, work.step);
    if ("code" in target) throw thrown(target);
    work.tried = target.tool;
    return yield* this.#use(work, target, "tool");
  }

  *#byCapability(work: StepWork): Flow<StepOutcome> {
    const { step, error } = work;
    const target = work.isBeyondTools ? undefined : yield* toolByCapability(this.run, step, work.tried);
    if (target === undefined) throw thrown(error ?? failure("not_available", `nothing else can do ${step.id}`));
    this.run.note(`${step.id}: ${shortly(step, error)}; ${target.name} stood in`);
    return yield* this.#use(work, target, "capability");
  }

  *#byReasoning(work: StepWork): Flow<StepOutcome> {
    const { step, error } = work;
    if (step.toolType !== noTool) this.run.note(`${step.id}: ${shortly(step, error)}; answered without a tool`);
    return yield* reason(this, work);
  }

  *#use(work: StepWork, target: StepTool, by: "tool" | "capability"): Flow<StepOutcome> {
    const args = yield* this.#inputOf(work, target, by);
    const { result, effect, text, view, isEmpty } = yield* callForStep(this.run, { work, target, by, args });
    // What may have been done in part is not done once more by somebody else.
    if (effect === "idempotent" || effect === "once") work.isBeyondTools = true;
    if (!result.success) throw thrown(unanswered(result.error));
    const verification = verifyStep(this, work, { text, expectsTime: target.kind === "time" });
    noteUnverified(this.run, work.step.id, verification);
    return { by, tool: target.name, text, view, isEmpty, verification };
  }

  *#inputOf(work: StepWork, target: StepTool, by: string): Flow<Readonly<Record<string, unknown>>> {
    const { step, bases } = work;
    try {
      return yield* prepareInput(this.run, {
        key: `${step.id}.${by}.input`,
        place: () => work.place(),
        target,
        question: this.question.text,
        description: step.description,
        given: step.input,
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

/** A question to a person that was asked and cannot be asked again: nobody is asked in another way, either. */
function unanswered(error: Failure): Failure {
  if (error.code !== "approval_required") return error;
  return fail(error.message, { code: "permission_denied", reason: "rejected" }).toFailure();
}

function shortly({ toolType }: CrewStep, error: Failure | undefined): string {
  return error === undefined ? `${toolType} was not called` : error.message.slice(0, 300).toWellFormed();
}

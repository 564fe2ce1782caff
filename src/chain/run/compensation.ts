import { type Failure, failure } from "../../base/index.ts";
import { missing } from "../../expr/index.ts";
import type { Outcome } from "../host/host.ts";
import type { PlanStep } from "../plan/plan.ts";
import { undoMessage } from "../host/undo-message.ts";
import { anyone } from "./approval.ts";
import type { Frame } from "./frame.ts";
import { expressionFailure } from "./expression-failure.ts";
import { dropQuestion, noteQuestion } from "./open-questions.ts";
import { interruption, ruled } from "./question-texts.ts";
import type { Evaluable, Pending } from "./run.ts";
import type { StepState } from "./step-state.ts";

/** A step that was done and can be undone. */
export interface CompensationEntry {
  readonly frame: Frame;
  readonly state: StepState;
  /** Of a `for_each` that did not end well: what it gave, null for the items that were not done. */
  readonly partlyDone?: readonly unknown[];
}

interface Undoing extends CompensationEntry {
  readonly plan: NonNullable<PlanStep["compensate"]>;
  readonly args: unknown;
  attempt: number;
  /** What people are asked. */
  message: string;
}

/** Undoes what a chain and its sub-chains did, the last first. One that fails does not keep the others from trying. */
export class Compensation implements Pending {
  readonly #frame: Frame;
  readonly #done: () => void;
  #current: Undoing | undefined;

  constructor(frame: Frame, done: () => void) {
    this.#frame = frame;
    this.#done = done;
  }

  begin(): void {
    for (let entry = this.#take(); entry !== undefined; entry = this.#take()) {
      const undoing = this.#prepare(entry);
      if (undoing === undefined) continue;
      this.#frame.undone++;
      this.#current = undoing;
      return this.#call(undefined);
    }
    this.#current = undefined;
    this.#done();
  }

  settled(outcome: Outcome): void {
    const current = this.#current;
    if (current === undefined) return;
    const { name } = current.plan.target;
    switch (outcome.kind) {
      case "call": {
        const { result } = outcome;
        current.state.workMs += result.durationMs;
        if (result.success) return this.#ended(undefined);
        const { code, approvalId } = result.error;
        return code === "approval_required" && approvalId !== undefined
          ? this.#ask(ruled(name), approvalId)
          : this.#ended(result.error);
      }
      case "interrupted":
        return this.#ask(interruption(name, outcome.startedAt, "leave it as it is"), undefined);
      case "decided":
        dropQuestion(current.state, questionOf(current));
        if (outcome.status === "approved") return this.#call(outcome.approvalId);
        return this.#ended(failure("permission_denied", `undoing was not approved`, { reason: outcome.status }));
      case "fired":
      case "cancel":
      case "parked":
        return undefined;
    }
  }

  /** The question got this id. */
  asked(approvalId: string): void {
    const current = this.#current;
    if (current === undefined) return;
    const { state, plan, args, message } = current;
    noteQuestion(state, {
      key: questionOf(current),
      approvalId,
      tool: plan.target.name,
      args,
      message,
      isUndo: true,
    });
  }

  #ended(error: Failure | undefined): void {
    const state = this.#current?.state;
    if (state !== undefined)
      state.compensation = error === undefined ? { status: "success" } : { status: "failed", error };
    this.begin();
  }

  #take(): CompensationEntry | undefined {
    const { compensations } = this.#frame.run;
    const index = compensations.findLastIndex(({ frame }) => frame.isWithin(this.#frame));
    return index < 0 ? undefined : compensations.splice(index, 1)[0];
  }

  /** Undefined when there is nothing to do, or it cannot be done. */
  #prepare(entry: CompensationEntry): Undoing | undefined {
    const { frame, state } = entry;
    const plan = state.step.compensate;
    if (plan === undefined) return undefined;
    try {
      const args = argsOf(entry, plan.params);
      return { frame, state, plan, args: args === missing ? {} : args, attempt: 0, message: "" };
    } catch (error) {
      state.compensation = { status: "failed", error: expressionFailure(error, `compensate of ${state.path}`) };
      return undefined;
    }
  }

  #call(approvalId: string | undefined): void {
    const current = this.#current;
    if (current === undefined) return;
    const { frame, state, plan, args } = current;
    current.attempt++;
    const work = {
      tool: plan.target.name,
      args,
      idempotencyKey: `${frame.workKey}${state.step.id}^`,
      timeoutMs: undefined,
      cache: undefined,
      approvalId,
    };
    frame.run.start(keyOf(current), work, this);
  }

  #ask(message: string, approvalId: string | undefined): void {
    const current = this.#current;
    if (current === undefined) return;
    const { frame, state, plan, args } = current;
    current.message = undoMessage(state.path, message);
    if (approvalId !== undefined) this.asked(approvalId);
    const question = { ...anyone, tool: plan.target.name, args, message: current.message, approvalId };
    frame.run.wait(questionOf(current), { kind: "approval", step: state.path, ...question }, this);
  }
}

/** What is undone with: the parameters see of a step that did not end well what it did of its work. */
function argsOf({ frame, state, partlyDone }: CompensationEntry, params: Evaluable): unknown {
  const { run, scope } = frame;
  if (partlyDone === undefined) return run.evaluate(state, params, scope);
  const { id, as } = state.step;
  // Without a prototype, as the one that it is a copy of.
  const context = Object.assign(Object.create(null) as Record<string, unknown>, scope.context);
  if (as !== undefined) context[as] = partlyDone;
  const entry = { status: state.status, ...scope.steps.entry(id), output: partlyDone };
  return scope.steps.showing(id, entry, () => run.evaluate(state, params, { ...scope, context }));
}

function questionOf(undoing: Undoing): string {
  return `${keyOf(undoing)}?`;
}

function keyOf({ frame, state, attempt }: Undoing): string {
  return `${frame.keys}${state.step.id}^#${attempt}`;
}

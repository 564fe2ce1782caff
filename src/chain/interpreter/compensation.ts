import { type Failure, failure } from "../../base/index.ts";
import { missing } from "../../expr/index.ts";
import type { ApprovalWait, CallOutcome, DecidedOutcome, Outcome } from "../host/host.ts";
import type { PlanStep } from "../plan/plan.ts";
import { undoMessage } from "../host/undo-message.ts";
import { anyone } from "./approval.ts";
import type { Frame } from "./frame.ts";
import { expressionFailure } from "./expression-failure.ts";
import { dropQuestion, noteQuestion } from "./open-questions.ts";
import type { PartlyDone } from "./partly-done.ts";
import { interruption, ruled } from "./question-texts.ts";
import type { Evaluable, Pending } from "./run.ts";
import type { StepState } from "./step-state.ts";

/** A step that was done and can be undone. */
export interface CompensationEntry {
  readonly frame: Frame;
  readonly state: StepState;
  /** Of a step that did not end well, or of which something is in doubt. */
  readonly partlyDone?: PartlyDone | undefined;
}

interface Undoing extends CompensationEntry {
  readonly plan: NonNullable<PlanStep["compensate"]>;
  readonly args: unknown;
  attempt: number;
  /** By which a person let it be called. */
  approvalId: string | undefined;
  /** What people are asked. */
  question: Question | undefined;
  /** That is about a call that its tool makes. */
  asksInner: boolean;
  /** Approvals for calls that its tool makes. */
  allowed: readonly string[] | undefined;
  /** The question that its tool takes the answer to itself, whatever it is. */
  answered: string | undefined;
}

type Question = Pick<ApprovalWait, "tool" | "args" | "message" | "approvalId" | "interrupted">;

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
      return this.#call();
    }
    this.#current = undefined;
    this.#done();
  }

  settled(outcome: Outcome): void {
    const current = this.#current;
    if (current === undefined) return;
    const { plan, args } = current;
    const { name: tool } = plan.target;
    switch (outcome.kind) {
      case "call":
        return this.#called(current, outcome);
      case "interrupted": {
        const message = interruption(tool, outcome.startedAt, "leave it as it is");
        return this.#ask(current, { tool, args, message, approvalId: undefined, interrupted: true }, false);
      }
      case "decided":
        return this.#decided(current, outcome);
      case "fired":
      case "cancel":
      case "parked":
        return undefined;
    }
  }

  #called(current: Undoing, { result, asks }: CallOutcome): void {
    const { plan, args } = current;
    const { name: tool } = plan.target;
    current.state.workMs += result.durationMs;
    if (result.success) return this.#ended(undefined);
    const { code, approvalId } = result.error;
    if (asks === undefined && code === "approval_required" && approvalId !== undefined) {
      return this.#ask(current, { tool, args, message: ruled(tool), approvalId }, false);
    }
    // A question that is asked again although it was answered would be asked for ever.
    if (asks === undefined || asks.approvalId === current.answered) return this.#ended(result.error);
    const { key, ...question } = asks;
    if (key === undefined) current.answered = question.approvalId;
    else current.allowed = [...(current.allowed ?? []), key];
    this.#ask(current, question, true);
  }

  #decided(current: Undoing, { status, approvalId, done }: DecidedOutcome): void {
    dropQuestion(current.state, questionOf(current));
    if (status !== "approved" && approvalId !== current.answered)
      return this.#ended(failure("permission_denied", "undoing was not approved", { reason: status }));
    if (!current.asksInner) {
      // A person said that it was undone already.
      if (done !== undefined) return this.#ended(undefined);
      current.approvalId = approvalId;
    }
    this.#call();
  }

  /** The question got this id. */
  asked(approvalId: string): void {
    const current = this.#current;
    if (current?.question === undefined) return;
    const { tool, args, message } = current.question;
    noteQuestion(current.state, { key: questionOf(current), approvalId, tool, args, message, isUndo: true });
  }

  #ended(error: Failure | undefined): void {
    if (this.#current !== undefined) noteUndone(this.#current, error);
    this.begin();
  }

  #take(): CompensationEntry | undefined {
    const { compensations } = this.#frame.run;
    const index = compensations.findLastIndex(({ frame }) => frame.isWithin(this.#frame));
    return index < 0 ? undefined : compensations.splice(index, 1)[0];
  }

  /** Undefined when there is nothing to do, or it cannot be done. */
  #prepare(entry: CompensationEntry): Undoing | undefined {
    const { state } = entry;
    const plan = state.step.compensate;
    if (plan === undefined) return undefined;
    if (!isDone(entry)) {
      noteUndone(entry, undefined);
      return undefined;
    }
    try {
      const args = argsOf(entry, plan.params);
      const asked = { approvalId: undefined, question: undefined, asksInner: false };
      const known = { attempt: 0, ...asked, allowed: undefined, answered: undefined };
      return { ...entry, plan, args: args === missing ? {} : args, ...known };
    } catch (error) {
      noteUndone(entry, expressionFailure(error, `compensate of ${state.path}`));
      return undefined;
    }
  }

  #call(): void {
    const current = this.#current;
    if (current === undefined) return;
    const { frame, state, plan, args, approvalId, allowed } = current;
    current.attempt++;
    const work = {
      tool: plan.target.name,
      args,
      idempotencyKey: `${frame.workKey}${state.step.id}^`,
      timeoutMs: undefined,
      cache: undefined,
      approvalId,
      ...(allowed !== undefined && { allowed }),
    };
    frame.run.start(keyOf(current), work, this);
  }

  #ask(current: Undoing, { tool, args, message, approvalId, interrupted }: Question, isInner: boolean): void {
    const { frame, state } = current;
    current.asksInner = isInner;
    const asked = { tool, args, message: undoMessage(state.path, message), approvalId };
    const question = interrupted === undefined ? asked : { ...asked, interrupted };
    current.question = question;
    if (approvalId !== undefined) this.asked(approvalId);
    frame.run.wait(questionOf(current), { kind: "approval", step: state.path, ...anyone, ...question }, this);
  }
}

/** Is there anything of which it is known that it was done? */
function isDone({ state, partlyDone }: CompensationEntry): boolean {
  return endedWell(state) || (partlyDone !== undefined && "output" in partlyDone);
}

function endedWell({ status }: StepState): boolean {
  return status === "success" || status === "recovered";
}

/** What may have been done and was not undone is told too. */
function noteUndone({ state, partlyDone }: CompensationEntry, failed: Failure | undefined): void {
  const doubt = partlyDone?.doubt;
  const error = failed ?? (doubt === undefined ? undefined : failure("interrupted", doubt));
  state.compensation = error === undefined ? { status: "success" } : { status: "failed", error };
}

/** What is undone with: the parameters see of a step that did not end well what it did of its work. */
function argsOf({ frame, state, partlyDone }: CompensationEntry, params: Evaluable): unknown {
  const { run, scope } = frame;
  if (partlyDone === undefined || endedWell(state)) return run.evaluate(state, params, scope);
  const { id, as } = state.step;
  // Without a prototype, as the one that it is a copy of.
  const context = Object.assign(Object.create(null) as Record<string, unknown>, scope.context);
  const { output } = partlyDone;
  if (as !== undefined && output !== undefined) context[as] = output;
  const entry = { status: state.status, ...scope.steps.entry(id), output };
  return scope.steps.showing(id, entry, () => run.evaluate(state, params, { ...scope, context }));
}

function questionOf(undoing: Undoing): string {
  return `${keyOf(undoing)}?`;
}

function keyOf({ frame, state, attempt }: Undoing): string {
  return `${frame.keys}${state.step.id}^#${attempt}`;
}

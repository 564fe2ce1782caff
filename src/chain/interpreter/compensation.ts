import { type Failure, failure } from "../../base/index.ts";
import { missing } from "../../expr/index.ts";
import {
  type ApprovalWait,
  type CallOutcome,
  type DecidedOutcome,
  type HostOutcome,
  compensationMessage,
} from "../../run/index.ts";
import type { PlanStep } from "../plan/plan.ts";
import { defaultApproval } from "./step-approval.ts";
import type { ChainFrame } from "./chain-frame.ts";
import { expressionFailure } from "./expression-failure.ts";
import { removePendingApproval, addPendingApproval } from "./pending-approvals.ts";
import type { PartlyDone } from "./partial-work.ts";
import { interruptionMessage, ruleApprovalMessage } from "./approval-messages.ts";
import type { Evaluable, Pending } from "./chain-run.ts";
import type { StepState } from "./step-state.ts";

/** A completed step that can be compensated. */
export interface CompensationEntry {
  readonly frame: ChainFrame;
  readonly state: StepState;
  /** Partial work of a step that did not succeed, or whose outcome is in doubt. */
  readonly partlyDone?: PartlyDone | undefined;
}

interface RunningCompensation extends CompensationEntry {
  readonly plan: NonNullable<PlanStep["compensate"]>;
  readonly args: unknown;
  attempt: number;
  /** Approval with which it is called. */
  approvalId: string | undefined;
  /** Approval that is requested for it. */
  approval: CompensationApproval | undefined;
  /** The approval is for a nested call of its tool. */
  isNestedApproval: boolean;
  /** Approvals for nested calls of its tool. */
  allowed: readonly string[] | undefined;
  /** Approval whose decision, whether approved or rejected, is handed to its tool. */
  answered: string | undefined;
}

type CompensationApproval = Pick<ApprovalWait, "tool" | "args" | "message" | "approvalId" | "interrupted">;

/** Compensates the steps of a chain and its sub-chains, the last first. A failure does not stop the others. */
export class Compensation implements Pending {
  readonly #frame: ChainFrame;
  readonly #done: () => void;
  #current: RunningCompensation | undefined;

  constructor(frame: ChainFrame, done: () => void) {
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

  settled(outcome: HostOutcome): void {
    const current = this.#current;
    if (current === undefined) return;
    const { plan, args } = current;
    const { name: tool } = plan.target;
    switch (outcome.kind) {
      case "call":
        return this.#called(current, outcome);
      case "interrupted": {
        const message = interruptionMessage(tool, outcome.startedAt, "leave it as it is");
        return this.#requestApproval(current, { tool, args, message, approvalId: undefined, interrupted: true }, false);
      }
      case "decided":
        return this.#decided(current, outcome);
      case "fired":
      case "event":
      case "cancel":
      case "suspended":
        return undefined;
    }
  }

  #called(current: RunningCompensation, { result, pendingApproval }: CallOutcome): void {
    const { plan, args } = current;
    const { name: tool } = plan.target;
    current.state.workMs += result.durationMs;
    if (result.success) return this.#ended(undefined);
    const { code, approvalId } = result.error;
    if (pendingApproval === undefined && code === "approval_required" && approvalId !== undefined) {
      return this.#requestApproval(current, { tool, args, message: ruleApprovalMessage(tool), approvalId }, false);
    }
    // An approval that is requested although it has been decided would be requested forever.
    if (pendingApproval === undefined || pendingApproval.approvalId === current.answered)
      return this.#ended(result.error);
    const { key, ...approval } = pendingApproval;
    if (key === undefined) current.answered = approval.approvalId;
    else current.allowed = [...(current.allowed ?? []), key];
    this.#requestApproval(current, approval, true);
  }

  #decided(current: RunningCompensation, { status, approvalId, done }: DecidedOutcome): void {
    removePendingApproval(current.state, compensationApproval(current));
    if (status !== "approved" && approvalId !== current.answered)
      return this.#ended(failure("permission_denied", "the compensation was not approved", { reason: status }));
    if (!current.isNestedApproval) {
      // A person confirmed that it had already been undone.
      if (done !== undefined) return this.#ended(undefined);
      current.approvalId = approvalId;
    }
    this.#call();
  }

  /** The approval has this id. */
  approvalRequested(approvalId: string): void {
    const current = this.#current;
    if (current?.approval === undefined) return;
    const { tool, args, message } = current.approval;
    addPendingApproval(current.state, {
      key: compensationApproval(current),
      approvalId,
      tool,
      args,
      message,
      isCompensation: true,
    });
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

  /** Undefined if there is nothing to do, or it cannot be done. */
  #prepare(entry: CompensationEntry): RunningCompensation | undefined {
    const { state } = entry;
    const plan = state.step.compensate;
    if (plan === undefined) return undefined;
    if (!isDone(entry)) {
      noteUndone(entry, undefined);
      return undefined;
    }
    try {
      const args = argsOf(entry, plan.params);
      const requestedApproval = { approvalId: undefined, approval: undefined, isNestedApproval: false };
      const known = { attempt: 0, ...requestedApproval, allowed: undefined, answered: undefined };
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

  #requestApproval(
    current: RunningCompensation,
    { tool, args, message, approvalId, interrupted }: CompensationApproval,
    isInner: boolean,
  ): void {
    const { frame, state } = current;
    current.isNestedApproval = isInner;
    const requestedApproval = { tool, args, message: compensationMessage(state.path, message), approvalId };
    const approval = interrupted === undefined ? requestedApproval : { ...requestedApproval, interrupted };
    current.approval = approval;
    if (approvalId !== undefined) this.approvalRequested(approvalId);
    frame.run.wait(
      compensationApproval(current),
      { kind: "approval", step: state.path, ...defaultApproval, ...approval },
      this,
    );
  }
}

/** True if some of its work is known to be done. */
function isDone({ state, partlyDone }: CompensationEntry): boolean {
  return endedWell(state) || (partlyDone !== undefined && "output" in partlyDone);
}

function endedWell({ status }: StepState): boolean {
  return status === "success" || status === "recovered";
}

/** Work that may have been done and was not undone is reported too. */
function noteUndone({ state, partlyDone }: CompensationEntry, failed: Failure | undefined): void {
  const doubt = partlyDone?.doubt;
  const error = failed ?? (doubt === undefined ? undefined : failure("interrupted", doubt));
  state.compensation = error === undefined ? { status: "success" } : { status: "failed", error };
}

/**
 * Arguments of the compensation: for a step that did not succeed, its parameters see the part of its work that was
 * done.
 */
function argsOf({ frame, state, partlyDone }: CompensationEntry, params: Evaluable): unknown {
  const { run, scope } = frame;
  if (partlyDone === undefined || endedWell(state)) return run.evaluate(state, params, scope);
  const { id, as } = state.step;
  // Without a prototype, as in the original.
  const context = Object.assign(Object.create(null) as Record<string, unknown>, scope.context);
  const { output } = partlyDone;
  if (as !== undefined && output !== undefined) context[as] = output;
  const entry = { status: state.status, ...scope.steps.entry(id), output };
  return scope.steps.showing(id, entry, () => run.evaluate(state, params, { ...scope, context }));
}

function compensationApproval(undoing: RunningCompensation): string {
  return `${keyOf(undoing)}?`;
}

function keyOf({ frame, state, attempt }: RunningCompensation): string {
  return `${frame.keys}${state.step.id}^#${attempt}`;
}

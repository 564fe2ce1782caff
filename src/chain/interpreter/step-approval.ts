import { type Failure, failure } from "../../base/index.ts";
import type { ApprovalWait, DecidedOutcome, HostOutcome } from "../../run/index.ts";
import type { Target } from "../plan/plan.ts";
import { expressionFailure } from "./expression-failure.ts";
import { removePendingApproval, addPendingApproval } from "./pending-approvals.ts";
import { fallbackApprovalMessage, approvalTooLargeFailure } from "./approval-messages.ts";
import type { Pending } from "./chain-run.ts";
import type { StepRun } from "./step-run.ts";

/** An approved request. */
export interface GrantedApproval {
  readonly approvalId: string;
  /** Time until the decision. */
  readonly waitedMs: number;
  /** The work was done already, with this output. */
  readonly done: DecidedOutcome["done"];
}

/** Callbacks for the outcome. */
export interface StepApprovalListener {
  approved(answer: GrantedApproval): void;
  refused(error: Failure, waitedMs: number): void;
  cancelled(): void;
}

/** An approval of a step. A step that only waits for approvals holds no slot. */
export class StepApproval implements Pending {
  readonly #step: StepRun;
  readonly #key: string;
  readonly #request: ApprovalWait;
  readonly #ends: StepApprovalListener;
  #decision: DecidedOutcome | undefined;
  #isOver = false;
  readonly #since: number;

  constructor(
    step: StepRun,
    { key, ...pendingApproval }: Omit<ApprovalWait, "kind" | "step"> & { readonly key: string },
    ends: StepApprovalListener,
  ) {
    this.#step = step;
    this.#key = key;
    this.#request = { kind: "approval", step: step.state.path, ...pendingApproval };
    this.#ends = ends;
    this.#since = step.frame.run.now;
  }

  begin(): void {
    const { approvalId } = this.#request;
    if (approvalId !== undefined) this.#note(approvalId);
    this.#step.frame.run.wait(this.#key, this.#request, this);
    this.#step.waits();
  }

  approvalRequested(approvalId: string, note?: string): void {
    this.#note(approvalId);
    const { message } = this.#request;
    const reported = note === undefined ? message : `${message} (${note})`;
    this.#step.emit({ type: "step-suspended", approvalId, message: reported });
  }

  #note(approvalId: string): void {
    const { tool, args, message } = this.#request;
    addPendingApproval(this.#step.state, { key: this.#key, approvalId, tool, args, message, isCompensation: false });
  }

  settled(outcome: HostOutcome): void {
    if (outcome.kind !== "decided") return;
    this.#decision = outcome;
    removePendingApproval(this.#step.state, this.#key);
    this.#step.returns(this);
  }

  cancel(): void {
    this.#isOver = true;
    removePendingApproval(this.#step.state, this.#key);
    this.#step.frame.run.drop(this.#key);
    this.#step.stopsWaiting();
    this.#ends.cancelled();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The step has its slot again. */
  resume(): void {
    if (this.#decision === undefined || this.#isOver) return;
    this.#isOver = true;
    const { status, approvalId, by, note, done } = this.#decision;
    this.#step.state.approvalId = approvalId;
    this.#step.emit({ type: "step-approval-decided", approvalId, status, by });
    const waitedMs = this.#step.frame.run.now - this.#since;
    if (status === "approved") return this.#ends.approved({ approvalId, waitedMs, done });
    const decider = by === undefined ? "" : ` by ${by}`;
    const why = note === undefined ? "" : `: ${note}`;
    const message =
      status === "rejected" ? `the approval was rejected${decider}${why}` : "the approval expired without a decision";
    this.#ends.refused(failure("permission_denied", message, { reason: status, retry: "never" }), waitedMs);
  }
}

export function isStepApproval(value: unknown): value is StepApproval {
  return value instanceof StepApproval;
}

/** An approval that anyone may decide, with the default expiry. */
export const defaultApproval: Pick<ApprovalWait, "approvers" | "expiresMs"> = { approvers: [], expiresMs: undefined };

/** Call that needs approval. */
export interface ApprovalCall {
  readonly key: string;
  readonly args: unknown;
  /** Fallback that would be called in place of the step's own tool, which failed. */
  readonly standIn?: Target | undefined;
}

/**
 * Requests the approval that `approval:` of a step declares, for exactly these arguments; a failure if that is
 * impossible.
 */
export function requestStepApproval(
  step: StepRun,
  call: ApprovalCall,
  ends: StepApprovalListener,
): StepApproval | Failure {
  const { frame, state } = step;
  const { approval, target } = state.step;
  if (approval === undefined) throw new TypeError(`${state.path} has no approval`);
  const { args, standIn } = call;
  const { approvers, expiresMs } = approval;
  let message: string;
  try {
    message = String(frame.run.evaluate(state, approval.message, frame.scope));
  } catch (error) {
    return expressionFailure(error, `the approval of ${state.path}`);
  }
  const tool = standIn?.name ?? target.name;
  const tooLarge = approvalTooLargeFailure(tool, args);
  if (tooLarge !== undefined) return tooLarge;
  if (standIn !== undefined) message = fallbackApprovalMessage(message, target.name, tool);
  const pendingApproval = { tool, args, message, approvers, expiresMs, approvalId: undefined };
  return new StepApproval(step, { key: frame.keys + call.key, ...pendingApproval }, ends);
}

import { type Failure, failure } from "../../base/index.ts";
import type { ApprovalWait, DecidedOutcome, Outcome } from "../host/host.ts";
import type { Target } from "../plan/plan.ts";
import { expressionFailure } from "./expression-failure.ts";
import { dropQuestion, noteQuestion } from "./open-questions.ts";
import { standingIn, unseen } from "./question-texts.ts";
import type { Pending } from "./run.ts";
import type { StepRun } from "./step-run.ts";

/** A person said yes. */
export interface Approved {
  readonly approvalId: string;
  /** What people took. */
  readonly waitedMs: number;
  /** The work was done already, and gave this. */
  readonly done: DecidedOutcome["done"];
}

/** What happens next. */
export interface ApprovalEnds {
  approved(answer: Approved): void;
  refused(error: Failure, waitedMs: number): void;
  cancelled(): void;
}

/** A question to a person. A step of which nothing but questions is left holds no place. */
export class Approval implements Pending {
  readonly #step: StepRun;
  readonly #key: string;
  readonly #question: ApprovalWait;
  readonly #ends: ApprovalEnds;
  #decision: DecidedOutcome | undefined;
  #isOver = false;
  readonly #since: number;

  constructor(
    step: StepRun,
    { key, ...question }: Omit<ApprovalWait, "kind" | "step"> & { readonly key: string },
    ends: ApprovalEnds,
  ) {
    this.#step = step;
    this.#key = key;
    this.#question = { kind: "approval", step: step.state.path, ...question };
    this.#ends = ends;
    this.#since = step.frame.run.now;
  }

  begin(): void {
    const { approvalId } = this.#question;
    if (approvalId !== undefined) this.#note(approvalId);
    this.#step.frame.run.wait(this.#key, this.#question, this);
    this.#step.waits();
  }

  asked(approvalId: string, note?: string): void {
    this.#note(approvalId);
    const { message } = this.#question;
    const told = note === undefined ? message : `${message} (${note})`;
    this.#step.tell({ type: "step-waiting", approvalId, message: told });
  }

  #note(approvalId: string): void {
    const { tool, args, message } = this.#question;
    noteQuestion(this.#step.state, { key: this.#key, approvalId, tool, args, message, isUndo: false });
  }

  settled(outcome: Outcome): void {
    if (outcome.kind !== "decided") return;
    this.#decision = outcome;
    dropQuestion(this.#step.state, this.#key);
    this.#step.returns(this);
  }

  cancel(): void {
    this.#isOver = true;
    dropQuestion(this.#step.state, this.#key);
    this.#step.frame.run.drop(this.#key);
    this.#step.stopsWaiting();
    this.#ends.cancelled();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The step has its place again. */
  goOn(): void {
    if (this.#decision === undefined || this.#isOver) return;
    this.#isOver = true;
    const { status, approvalId, by, note, done } = this.#decision;
    this.#step.state.approvalId = approvalId;
    this.#step.tell({ type: "step-decided", approvalId, status, by });
    const waitedMs = this.#step.frame.run.now - this.#since;
    if (status === "approved") return this.#ends.approved({ approvalId, waitedMs, done });
    const who = by === undefined ? "" : ` by ${by}`;
    const why = note === undefined ? "" : `: ${note}`;
    const message = status === "rejected" ? `the approval was rejected${who}${why}` : "nobody approved it in time";
    this.#ends.refused(failure("permission_denied", message, { reason: status, retry: "never" }), waitedMs);
  }
}

/** A question that anyone may answer, in the usual time. */
export const anyone: Pick<ApprovalWait, "approvers" | "expiresMs"> = { approvers: [], expiresMs: undefined };

/** What a person is asked to let through. */
export interface AskedCall {
  readonly key: string;
  readonly args: unknown;
  /** What would be called in place of the step's own tool, which failed. */
  readonly standIn?: Target | undefined;
}

/** Asks what the `approval:` of a step says about exactly these arguments; a failure when that cannot be asked. */
export function askFirst(step: StepRun, call: AskedCall, ends: ApprovalEnds): Approval | Failure {
  const { frame, state } = step;
  const { approval, target } = state.step;
  if (approval === undefined) throw new TypeError(`${state.path} asks nobody`);
  const { args, standIn } = call;
  const { approvers, expiresMs } = approval;
  let message: string;
  try {
    message = String(frame.run.evaluate(state, approval.message, frame.scope));
  } catch (error) {
    return expressionFailure(error, `the approval of ${state.path}`);
  }
  const tool = standIn?.name ?? target.name;
  const tooLarge = unseen(tool, args);
  if (tooLarge !== undefined) return tooLarge;
  if (standIn !== undefined) message = standingIn(message, target.name, tool);
  const question = { tool, args, message, approvers, expiresMs, approvalId: undefined };
  return new Approval(step, { key: frame.keys + call.key, ...question }, ends);
}

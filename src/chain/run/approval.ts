import { type Failure, failure } from "../../base/index.ts";
import type { ApprovalWait, DecidedOutcome, Outcome } from "../host/host.ts";
import type { Pending } from "./run.ts";
import type { StepRun } from "./step-run.ts";

/** What happens next. */
export interface ApprovalEnds {
  approved(approvalId: string): void;
  refused(error: Failure): void;
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

  constructor(
    step: StepRun,
    { key, ...question }: Omit<ApprovalWait, "kind" | "step"> & { readonly key: string },
    ends: ApprovalEnds,
  ) {
    this.#step = step;
    this.#key = key;
    this.#question = { kind: "approval", step: step.state.path, ...question };
    this.#ends = ends;
  }

  begin(): void {
    const { frame, state } = this.#step;
    state.approvalId = this.#question.approvalId;
    frame.run.wait(this.#key, this.#question, this);
    this.#step.waits();
  }

  asked(approvalId: string): void {
    this.#step.state.approvalId = approvalId;
    this.#step.tell({ type: "step-waiting", approvalId, message: this.#question.message });
  }

  settled(outcome: Outcome): void {
    if (outcome.kind !== "decided") return;
    this.#decision = outcome;
    this.#step.returns(this);
  }

  cancel(): void {
    this.#isOver = true;
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
    const { status, approvalId, by, note } = this.#decision;
    this.#step.state.approvalId = approvalId;
    this.#step.tell({ type: "step-decided", approvalId, status, by });
    if (status === "approved") return this.#ends.approved(approvalId);
    const who = by === undefined ? "" : ` by ${by}`;
    const why = note === undefined ? "" : `: ${note}`;
    const message = status === "rejected" ? `the approval was rejected${who}${why}` : "nobody approved it in time";
    this.#ends.refused(failure("permission_denied", message, { reason: status, retry: "never" }));
  }
}

/** A question that anyone may answer, in the usual time. */
export const anyone: Pick<ApprovalWait, "approvers" | "expiresMs"> = { approvers: [], expiresMs: undefined };

/** What is asked when nobody knows whether a `once` tool did its work. */
export function interruption(tool: string, startedAt: number): string {
  return (
    `${tool} was running when its process ended (started ${new Date(startedAt).toISOString()}), and must not run twice. ` +
    "Find out whether its work was done: approve to run it again, reject to let the step fail."
  );
}

/** The failure of a `once` tool that was stopped, and whose process ended. */
export function unknownEnd(tool: string): Failure {
  return failure("interrupted", `${tool} was running when its process ended, and nobody knows how far it had come`);
}

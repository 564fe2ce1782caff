import { type Failure, failure } from "../../base/index.ts";
import type { ApprovalWait, Outcome } from "../host/host.ts";
import type { Pending } from "./run.ts";
import type { StepRun } from "./step-run.ts";

/** What happens next. */
export interface ApprovalEnds {
  approved(approvalId: string): void;
  refused(error: Failure): void;
  cancelled(): void;
}

/** A question to a person. While it is open, its step holds no place. */
export class Approval implements Pending {
  readonly #step: StepRun;
  readonly #key: string;
  readonly #question: ApprovalWait;
  #ends: ApprovalEnds | undefined;

  constructor(step: StepRun, { key, ...question }: Omit<ApprovalWait, "kind" | "step"> & { readonly key: string }) {
    this.#step = step;
    this.#key = key;
    this.#question = { kind: "approval", step: step.state.path, ...question };
  }

  begin(ends: ApprovalEnds): void {
    this.#ends = ends;
    const { state, frame } = this.#step;
    state.status = "waiting";
    frame.leavePlace();
    frame.run.wait(this.#key, this.#question, this);
    frame.advance();
  }

  asked(approvalId: string): void {
    this.#step.state.approvalId = approvalId;
    this.#step.tell({ type: "step-waiting", approvalId, message: this.#question.message });
  }

  settled(outcome: Outcome): void {
    if (outcome.kind !== "decided") return;
    const { frame } = this.#step;
    frame.takePlace(() => this.#decided(outcome));
  }

  cancel(): void {
    const { state, frame } = this.#step;
    frame.run.drop(this.#key);
    state.status = "cancelled";
    // Closing a step gives its place back, so it takes one first; there is nobody to wait for any more.
    frame.keepPlace();
    this.#ends?.cancelled();
  }

  #decided({ status, approvalId, by, note }: Extract<Outcome, { kind: "decided" }>): void {
    const { state } = this.#step;
    state.status = "running";
    state.approvalId = approvalId;
    this.#step.tell({ type: "step-decided", approvalId, status, by });
    if (status === "approved") return this.#ends?.approved(approvalId);
    const who = by === undefined ? "" : ` by ${by}`;
    const why = note === undefined ? "" : `: ${note}`;
    const message = status === "rejected" ? `the approval was rejected${who}${why}` : "nobody approved it in time";
    this.#ends?.refused(failure("permission_denied", message, { reason: status, retry: "never" }));
  }
}

/** What is asked when nobody knows whether a `once` tool did its work. */
export function interruption(tool: string, startedAt: number): string {
  return (
    `${tool} was running when its process ended (started ${new Date(startedAt).toISOString()}), and must not run twice. ` +
    "Find out whether its work was done: approve to run it again, reject to let the step fail."
  );
}

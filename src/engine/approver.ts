import type { ApprovalRequest } from "../store/index.ts";

/** Outcome of an approval request. */
export type ApprovalAnswer =
  /** `restore` is called if the call then never starts, because it got no slot or was cancelled. */
  | { readonly kind: "approved"; readonly restore?: () => Promise<void> }
  /** `wasRequested` is false if no approver was available; the note then explains why. */
  | { readonly kind: "rejected"; readonly note?: string; readonly wasRequested?: false }
  /** Not decided yet; the caller retries later. */
  | { readonly kind: "pending"; readonly id: string };

/** Requests a person's decision about a call. */
export interface Approver {
  /** True if it binds decisions to a run: its keys then contain neither conversation nor session. */
  readonly bindsToRun?: true;
  /**
   * `chosen`: a composite that only chooses selected this call, and has had no side effects that a re-execution would
   * repeat.
   */
  requestApproval(request: ApprovalRequest, signal: AbortSignal, chosen?: boolean): Promise<ApprovalAnswer>;
}

/** State of an approval. */
export type ApprovalStatus = "pending" | "approved" | "rejected" | "used" | "expired";

/**
 * Maximum size of the arguments of an approval as JSON; larger requests are refused, because the approver must see all
 * of what is approved.
 */
export const maxApprovalBytes: number = 8 << 20;

/** Returns why arguments of this size cannot be approved, and what to do; undefined if they can. */
export function approvalTooLarge(bytes: number): string | undefined {
  if (bytes <= maxApprovalBytes) return undefined;
  const [size, max] = [bytes, maxApprovalBytes].map((some) => `${(some / 2 ** 20).toFixed(1)} MiB`);
  return (
    `its arguments have ${size}, and at most ${max} can be stored for an approval; ` +
    "pass less data, or split the list over several calls"
  );
}

/** The `expiresAt` of an approval that does not expire: the last moment that a date can represent. */
export const neverExpires = 8_640_000_000_000_000;

/** A request for a person's approval of a call. */
export interface ApprovalRequest {
  /** Binds the decision to tool, arguments and principal, and to the conversation or run: a hash of all of them. */
  readonly key: string;
  readonly tool: string;
  /**
   * The complete arguments, as shown to the approver, with known secrets redacted. Values that merely look like a
   * secret stay.
   */
  readonly args: unknown;
  readonly message: string;
  readonly callerType: string;
  readonly principal?: string;
  /** Epoch milliseconds. The last possible date, 8.64e15, if it does not expire. */
  readonly expiresAt: number;
  /** The run that waits for it. */
  readonly runId?: string;
  /** The step of that run. */
  readonly step?: string;
  /** The people who may decide. Default: anyone. */
  readonly approvers?: readonly string[];
  /** The call was running when its process ended: {@link Decision.done} is a valid decision. */
  readonly interrupted?: true;
}

/** A request and its current state. */
export interface Approval extends ApprovalRequest {
  readonly id: string;
  /** After `expiresAt`, a pending or approved request is `expired`. */
  readonly status: ApprovalStatus;
  readonly createdAt: number;
  readonly decidedAt?: number;
  readonly decidedBy?: string;
  readonly note?: string;
  /** See {@link Decision.done}. */
  readonly done?: { readonly output: unknown };
}

/** A person's decision. */
export interface Decision {
  readonly approved: boolean;
  readonly by?: string;
  readonly note?: string;
  /**
   * With an approval: the call was already done and returned this, so it is not re-executed. For interrupted calls
   * only.
   */
  readonly done?: { readonly output: unknown };
  /** The request with which it was made, for the audit log. */
  readonly requestId?: string;
  /** It follows from the end of a run; no person decided. */
  readonly isAutomatic?: true;
}

/**
 * Stores approvals: single-use, bound to exact arguments, the first decision wins, and each has an expiry. Every
 * implementation passes `test/conformance/approval-store.ts`.
 */
export interface ApprovalStore {
  /**
   * Returns the newest approval with this key that is pending, approved or rejected and has not expired; else a new
   * one. Refuses arguments much larger than {@link maxApprovalBytes}.
   */
  request(request: ApprovalRequest): Promise<Approval>;
  /** Consumes an approved request with this key: true once, false ever after. */
  consume(key: string, now: number): Promise<boolean>;
  /** Restores the approval that the last `consume` of this key consumed, because its call never started. */
  restore(key: string): Promise<void>;
  /** Records a decision; the first decision wins. Returns the resulting approval, or undefined if the id is unknown. */
  decide(id: string, decision: Decision, now: number): Promise<Approval | undefined>;
  get(id: string, now: number): Promise<Approval | undefined>;
  /** Newest first; approvals past their time are listed as `expired`. */
  list(now: number, status?: ApprovalStatus): Promise<readonly Approval[]>;
}

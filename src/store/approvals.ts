/** Where an approval stands. */
export type ApprovalStatus = "pending" | "approved" | "rejected" | "used" | "expired";

/** A question is refused whose arguments, as JSON, are larger: people have to see all of what they let through. */
export const maxApprovalBytes: number = 8 << 20;

/** Why people cannot be asked about arguments of so many bytes, and what to do; undefined when they can. */
export function tooLargeToAsk(bytes: number): string | undefined {
  if (bytes <= maxApprovalBytes) return undefined;
  const [size, most] = [bytes, maxApprovalBytes].map((some) => `${(some / 2 ** 20).toFixed(1)} MiB`);
  return (
    `its arguments have ${size}, and at most ${most} can be kept for a person to see and approve; ` +
    "pass on less, or split the list over several calls"
  );
}

/** What is asked for. */
export interface ApprovalRequest {
  /** Binds the decision to tool, arguments and principal: a hash of all three. */
  readonly key: string;
  readonly tool: string;
  /** The arguments as whoever decides sees them: whole, without secrets that are known. What only looks like one stays. */
  readonly args: unknown;
  readonly message: string;
  readonly callerType: string;
  readonly principal?: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** The run that waits for it. */
  readonly runId?: string;
  /** The step of that run. */
  readonly step?: string;
  /** Who may decide; anyone where absent. */
  readonly approvers?: readonly string[];
  /** It is about a call that was running when its process ended: {@link Decision.done} may answer it. */
  readonly interrupted?: true;
}

/** A request and what became of it. */
export interface Approval extends ApprovalRequest {
  readonly id: string;
  /** Time is up at `expiresAt`: what was pending or approved until then is `expired`. */
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
  /** With a yes: the call was done already, and gave this, so that it is not made again. For interrupted calls only. */
  readonly done?: { readonly output: unknown };
}

/**
 * Keeps approvals: single-use, bound to exact arguments, first decision wins, all of them expire.
 * Every implementation passes `test/conformance/approval-store.ts`.
 */
export interface ApprovalStore {
  /**
   * The newest approval with this key that is pending, approved or rejected and still in time; else a new one. Refuses
   * what is much larger than {@link maxApprovalBytes}.
   */
  request(request: ApprovalRequest): Promise<Approval>;
  /** Uses up an approved request with this key: true once, false ever after. */
  consume(key: string, now: number): Promise<boolean>;
  /** Gives back what the last `consume` of this key used up: the call it was for never started. */
  restore(key: string): Promise<void>;
  /** The first decision wins: returns the approval as it then stands, undefined when the id is unknown. */
  decide(id: string, decision: Decision, now: number): Promise<Approval | undefined>;
  get(id: string, now: number): Promise<Approval | undefined>;
  /** Newest first; those past their time show as `expired`. */
  list(now: number, status?: ApprovalStatus): Promise<readonly Approval[]>;
}

import { type Clock, canonicalJson, fail, nodeCrypto } from "../base/index.ts";
import type { Approval, ApprovalRequest, ApprovalStatus, ApprovalStore, Decision } from "../store/index.ts";
import type { ApprovalAnswer, Approver } from "./approver.ts";

/**
 * Requests a decision from a person in this process. Undefined if no approver is available here: the approval stays pending. The
 * one way in which chains, agents, the MCP server and the command line reach a person.
 */
export type RequestApproval<Request extends ApprovalRequest = Approval> = (
  approval: Request,
  signal: AbortSignal,
) => Promise<PromptedDecision | undefined>;

/** A decision of a person who was prompted in this process. */
export interface PromptedDecision extends Decision {
  /** Called if another decision stands, which was made elsewhere. */
  readonly onOvertaken?: (approval: Approval) => void;
}

/** Origin of a call, which limits who can use its approval. */
export interface ApprovalScope {
  readonly conversationId?: string | undefined;
  readonly session?: string | undefined;
}

/** Returns a key that is equal only for the same tool, arguments, principal, conversation and session. */
export function approvalKey(
  tool: string,
  args: unknown,
  principal: string | undefined,
  { conversationId, session }: ApprovalScope = {},
): string {
  const parts = [tool, principal ?? null, args];
  // Keys of calls without both are the same as in earlier versions: their stored approvals stay valid.
  if (conversationId !== undefined || session !== undefined) parts.push(conversationId ?? null, session ?? null);
  return nodeCrypto().createHash("sha256").update(canonicalJson(parts)).digest("base64url");
}

/** Reason why a decision does not count. */
export type DecisionRefusal = "not_an_approver" | "not_interrupted" | "already_decided" | "expired";

/** An approval after a person's decision. */
export interface Decided {
  /** The approval as it stands now. */
  readonly approval: Approval;
  /** True if this decision was recorded; false if an earlier one stands. */
  readonly isRecorded: boolean;
  /** Set if the decision does not count. An earlier one with the same verdict does. */
  readonly refusal?: { readonly reason: DecisionRefusal; readonly message: string };
}

/** The end of an approval, as far as the caller is concerned. */
export interface ApprovalEnd {
  readonly status: "approved" | "rejected" | "expired";
  /** Why it does not count, so that approval has to be requested again. */
  readonly disregarded?: string;
}

/**
 * Requests and decides approvals. It holds all rules: who may decide, that the first decision counts, when an approval
 * has expired, and that it is used once. A store only stores; a decision that was stored past these rules does not count.
 *
 * @see docs/guide/engine.md
 */
export class ApprovalService {
  readonly #store: ApprovalStore;
  readonly #clock: Clock;
  readonly #onRecorded: (() => void) | undefined;

  /** @param onRecorded Called after a decision was recorded here. */
  constructor(store: ApprovalStore, clock: Clock, onRecorded?: () => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onRecorded = onRecorded;
  }

  /** Returns the approval with this key that has not been used and has not expired, or a new one. */
  request(request: ApprovalRequest): Promise<Approval> {
    return this.#store.request(request);
  }

  /**
   * Requests the approval of a call outside of runs, which consumes it at once. An earlier decision takes precedence, also
   * one that is made elsewhere while a person is prompted here. An approval is stored; a rejection here only ends this
   * call, so that a mistake can be corrected.
   */
  async requestForCall(
    request: ApprovalRequest,
    signal: AbortSignal,
    requestApproval?: RequestApproval<ApprovalRequest>,
  ): Promise<ApprovalAnswer> {
    const consumed = await this.#consume(request.key);
    if (consumed !== undefined) return consumed;
    if (requestApproval === undefined) return this.#answerTo(await this.request(request));
    const now = this.#clock.now();
    const isSame = ({ key, expiresAt }: Approval): boolean => key === request.key && now < expiresAt;
    const rejected = (await this.#store.list(now, "rejected")).find(isSame);
    if (rejected !== undefined) return this.#answerTo(rejected);
    const decision = await requestApproval(request, signal);
    if (signal.aborted) return { kind: "rejected", wasRequested: false, note: "the call was cancelled" };
    if (decision?.approved === false) return rejection(decision);
    const approval = await this.request(request);
    const decided = decision === undefined ? undefined : await this.decide(approval.id, decision);
    return this.#answerTo(decided?.approval ?? approval);
  }

  /** An approver that requests the approvals of calls here; `requestApproval` prompts a person in this process first. */
  approver(requestApproval?: RequestApproval<ApprovalRequest>): Approver {
    return { requestApproval: (request, signal) => this.requestForCall(request, signal, requestApproval) };
  }

  /** Records a person's decision; the first one counts. Undefined if there is no such approval. */
  async decide(id: string, { onOvertaken, ...decision }: PromptedDecision): Promise<Decided | undefined> {
    const now = this.#clock.now();
    const before = await this.#store.get(id, now);
    if (before === undefined) return undefined;
    if (before.status === "pending") {
      const refusal = refusalOf(before, decision);
      if (refusal !== undefined) return { approval: before, isRecorded: false, refusal };
    }
    const approval = (await this.#store.decide(id, decision, now)) ?? before;
    // Another decision may have been recorded in the same millisecond.
    const isOwn = approval.decidedBy === decision.by && (approval.status === "rejected") !== decision.approved;
    const isRecorded = before.status === "pending" && approval.decidedAt === now && isOwn;
    if (isRecorded) {
      this.#onRecorded?.();
      return { approval, isRecorded };
    }
    onOvertaken?.(approval);
    const refusal = whyTooLate(approval, decision.approved);
    return refusal === undefined ? { approval, isRecorded } : { approval, isRecorded, refusal };
  }

  /** Returns the current state of an approval. One that the store has removed has expired, or is as it was. */
  async read(approval: Approval): Promise<Approval> {
    const now = this.#clock.now();
    const stored = await this.#store.get(approval.id, now);
    return stored ?? (now < approval.expiresAt ? approval : { ...approval, status: "expired" });
  }

  find(id: string): Promise<Approval | undefined> {
    return this.#store.get(id, this.#clock.now());
  }

  /** Newest first. Default: all that are stored. */
  list(status?: ApprovalStatus): Promise<readonly Approval[]> {
    return this.#store.list(this.#clock.now(), status);
  }

  /** Consumes an approval whose decision is durable in a journal. */
  async use(approval: Approval): Promise<void> {
    const { key, status, decidedAt = this.#clock.now() } = approval;
    // The decision was made in time, even if the run learns of it after the approval expired.
    if (status !== "used" && endOf(approval)?.status === "approved") await this.#store.consume(key, decidedAt);
  }

  /** Rejects the pending approvals of a run that has ended, so that no one is prompted for them any more. */
  async rejectPending(runId: string): Promise<void> {
    const now = this.#clock.now();
    for (const { id, runId: of } of await this.#store.list(now, "pending")) {
      if (of !== runId) continue;
      await this.#store.decide(id, { approved: false, note: "the run is over", isAutomatic: true }, now);
    }
  }

  async #answerTo(approval: Approval): Promise<ApprovalAnswer> {
    switch (approval.status) {
      case "pending":
        return { kind: "pending", id: approval.id };
      case "rejected":
        return rejection(approval);
      case "approved":
      case "used":
      case "expired": {
        const why = approval.status === "expired" ? "the approval expired" : "the approval was used by another call";
        const note = `${why}; repeat the call to request a new approval`;
        return (await this.#consume(approval.key)) ?? { kind: "rejected", note };
      }
    }
  }

  /** An approval that was consumed for a call which then never starts is restored. */
  async #consume(key: string): Promise<ApprovalAnswer | undefined> {
    const isConsumed = await this.#store.consume(key, this.#clock.now());
    return isConsumed ? { kind: "approved", restore: () => this.#store.restore(key) } : undefined;
  }
}

/**
 * Returns an approver that stores the request: the call fails with `approval_required`, someone decides with `windlass
 * approve`, and repeating the same call then runs it, once. With `requestApproval`, a person in this process is prompted
 * first.
 *
 * @example
 * ```ts
 * const approvals = createInMemoryApprovals();
 * const engine = createEngine({ tools, approver: storedApprover(approvals, systemClock) });
 * ```
 *
 * @see docs/guide/engine.md
 */
export function storedApprover(
  store: ApprovalStore,
  clock: Clock,
  requestApproval?: RequestApproval<ApprovalRequest>,
): Approver {
  return new ApprovalService(store, clock).approver(requestApproval);
}

/** The end of an approval; undefined while it is pending. */
export function endOf(approval: Approval): ApprovalEnd | undefined {
  const { status, decidedAt, decidedBy: by } = approval;
  if (status === "pending") return undefined;
  // A decision that was made in time counts even if the run learns of it later; only approvals expire after it.
  if (status === "expired" && decidedAt === undefined) return { status };
  const { message: disregarded } = refusalOf(approval, { ...approval, ...(by !== undefined && { by }) }) ?? {};
  // `used`: consumed by an earlier owner that lost the run before it could journal the decision, which still counts.
  const end = { status: status === "rejected" ? status : "approved" } as const;
  return disregarded === undefined ? end : { ...end, disregarded };
}

/** True if this person may decide. */
export function mayDecide({ approvers = [] }: Pick<Approval, "approvers">, by: string | undefined): boolean {
  return approvers.length === 0 || (by !== undefined && approvers.includes(by));
}

/** Returns the approval after a decision that counts. Throws if there is no such approval, or the decision does not count. */
export function expectDecided(id: string, decided: Decided | undefined): Approval {
  const refused = (message: string, reason: string): Error => fail(message, { code: "validation_error", reason });
  if (decided === undefined) throw refused(`there is no approval ${JSON.stringify(id)}`, "unknown_approval");
  const { approval, refusal } = decided;
  if (refusal !== undefined) throw refused(`approval ${id}, of ${approval.tool}, ${refusal.message}`, refusal.reason);
  return approval;
}

function rejection({ note }: Pick<Decision, "note">): ApprovalAnswer {
  return { kind: "rejected", ...(note !== undefined && { note }) };
}

/** Why this decision about a pending approval does not count. */
function refusalOf(approval: Approval, { by, done }: Pick<Decision, "by" | "done">): Decided["refusal"] {
  const { approvers = [], interrupted } = approval;
  if (!mayDecide(approval, by)) {
    const message = `the decision of ${by ?? "an unnamed person"} does not count: only ${approvers.join(" or ")} may decide`;
    return { reason: "not_an_approver", message };
  }
  if (done === undefined || interrupted === true) return undefined;
  const message = "the call was not running when a process ended, so it cannot be marked as done: approve or reject it";
  return { reason: "not_interrupted", message };
}

/** Why a decision does not count that was made after another one, or too late. */
function whyTooLate(approval: Approval, approved: boolean): Decided["refusal"] {
  const { status, decidedBy, expiresAt, note } = approval;
  const how = `${decidedBy === undefined ? "" : ` by ${decidedBy}`}${note === undefined ? "" : ` (${note})`}`;
  const first = (what: string): Decided["refusal"] => ({
    reason: "already_decided",
    message: `${what}; the first decision counts`,
  });
  switch (status) {
    case "pending":
      return undefined;
    case "approved":
      return approved ? undefined : first(`was approved${how}`);
    case "used":
      return approved ? undefined : first(`was approved${how}, and the call was made`);
    case "rejected":
      return approved ? first(`was rejected${how}`) : undefined;
    case "expired": {
      const message = `expired at ${new Date(expiresAt).toISOString()}; repeat the call to request a new approval`;
      return { reason: "expired", message };
    }
  }
}

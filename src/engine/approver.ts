import { type Clock, canonicalJson, nodeCrypto } from "../base/index.ts";
import type { ApprovalRequest, ApprovalStore } from "../store/index.ts";

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

/**
 * Returns an approver that stores the request: the call fails with `approval_required`, someone decides with `windlass
 * approve`, and repeating the same call then runs it, once.
 *
 * @example
 * ```ts
 * const approvals = createInMemoryApprovals();
 * const engine = createEngine({ tools, approver: storedApprover(approvals, systemClock) });
 * ```
 *
 * @see docs/guide/engine.md
 */
export function storedApprover(store: ApprovalStore, clock: Clock): Approver {
  return {
    async requestApproval(request) {
      if (await store.consume(request.key, clock.now())) {
        return { kind: "approved", restore: () => store.restore(request.key) };
      }
      const approval = await store.request(request);
      if (approval.status !== "rejected") return { kind: "pending", id: approval.id };
      return { kind: "rejected", ...(approval.note !== undefined && { note: approval.note }) };
    },
  };
}

import { type Clock, canonicalJson, nodeCrypto } from "../base/index.ts";
import type { ApprovalRequest, ApprovalStore } from "../store/index.ts";

/** What became of a question. */
export type Answer =
  /** `giveBack` is called when the call then never started, because there was no place for it or it was cancelled. */
  | { readonly kind: "approved"; readonly giveBack?: () => Promise<void> }
  /** `asked` is false where nobody could be: the note then says why. */
  | { readonly kind: "rejected"; readonly note?: string; readonly asked?: false }
  /** Nobody decided yet; the caller comes back later. */
  | { readonly kind: "parked"; readonly id: string };

/** Asks a person whether a call may run. */
export interface Approver {
  /** `chosen`: a choice came to this call, and has done nothing yet that would be done again if it were made anew. */
  ask(request: ApprovalRequest, signal: AbortSignal, chosen?: boolean): Promise<Answer>;
}

/** The same for the same tool, arguments and principal, and for nothing else. */
export function approvalKey(tool: string, args: unknown, principal: string | undefined): string {
  return nodeCrypto()
    .createHash("sha256")
    .update(canonicalJson([tool, principal ?? null, args]))
    .digest("base64url");
}

/**
 * Parks the question in a store: the call answers `approval_required`, someone decides with `windlass approve`, and
 * the same call made again runs, once.
 */
export function parkingApprover(store: ApprovalStore, clock: Clock): Approver {
  return {
    async ask(request) {
      if (await store.consume(request.key, clock.now())) {
        return { kind: "approved", giveBack: () => store.restore(request.key) };
      }
      const approval = await store.request(request);
      if (approval.status !== "rejected") return { kind: "parked", id: approval.id };
      return { kind: "rejected", ...(approval.note !== undefined && { note: approval.note }) };
    },
  };
}

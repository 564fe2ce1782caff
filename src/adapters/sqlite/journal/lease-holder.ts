import { type IdGenerator, createIdGenerator, isProcessGone, processIdentity } from "../../../base/index.ts";
import type { LeaseHolder } from "../../../store/index.ts";

/**
 * Creates a lease holder for this process; every call creates another one.
 *
 * @example
 * ```ts
 * const claim = await store.runs.claim(runId, createLeaseHolder());
 * ```
 */
export function createLeaseHolder(ids: IdGenerator = createIdGenerator()): LeaseHolder {
  return { id: ids.next(), ...processIdentity(process.pid) };
}

/** True if the process of this lease holder has certainly ended. */
export function isLeaseHolderDead(owner: LeaseHolder): boolean {
  return isProcessGone(owner);
}

import { type Ids, createIds, isGone, processIdentity } from "../../base/index.ts";
import type { RunOwner } from "../../store/index.ts";

/**
 * This process as the owner of runs; every call makes another owner.
 *
 * @example
 * ```ts
 * const claim = await store.runs.claim(runId, currentOwner());
 * ```
 */
export function currentOwner(ids: Ids = createIds()): RunOwner {
  return { id: ids.next(), ...processIdentity(process.pid) };
}

/** Is the process of this owner certainly gone? */
export function isDead(owner: RunOwner): boolean {
  return isGone(owner);
}

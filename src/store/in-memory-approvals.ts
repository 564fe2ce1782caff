import { type Clock, type Ids, createIds, systemClock } from "../base/index.ts";
import {
  type Approval,
  type ApprovalRequest,
  type ApprovalStatus,
  type ApprovalStore,
  type Decision,
} from "./approvals.ts";
import { approvalAt, isOpen, maxApprovals } from "./approval-state.ts";
import { wholeValue } from "./record-text.ts";

/** What {@link createMemoryApprovals} takes. */
export interface MemoryApprovalsOptions {
  readonly ids?: Ids;
  readonly clock?: Clock;
}

/**
 * Keeps approvals in memory, for one process; the oldest leave when there are more than 1,000.
 *
 * @example
 * ```ts
 * const approvals = createMemoryApprovals();
 * ```
 */
export function createMemoryApprovals(options: MemoryApprovalsOptions = {}): ApprovalStore {
  return new MemoryApprovals(options.ids ?? createIds(), options.clock ?? systemClock);
}

class MemoryApprovals implements ApprovalStore {
  readonly #ids: Ids;
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #byId = new Map<string, Approval>();

  constructor(ids: Ids, clock: Clock) {
    this.#ids = ids;
    this.#clock = clock;
  }

  async request(request: ApprovalRequest): Promise<Approval> {
    const now = this.#clock.now();
    const open = this.#newest((approval) => approval.key === request.key && isOpen(approval, now));
    if (open !== undefined) return open;
    const args = wholeValue(request.args);
    const approval: Approval = { ...request, args, id: this.#ids.next(), status: "pending", createdAt: now };
    this.#byId.set(approval.id, approval);
    if (this.#byId.size > maxApprovals) this.#forgetOne(now);
    return approval;
  }

  async consume(key: string, now: number): Promise<boolean> {
    const approved = this.#newest(
      (approval) => approval.key === key && approvalAt(approval, now).status === "approved",
    );
    if (approved === undefined) return false;
    this.#byId.set(approved.id, { ...approved, status: "used" });
    return true;
  }

  async restore(key: string): Promise<void> {
    const used = this.#newest((approval) => approval.key === key && approval.status === "used");
    if (used !== undefined) this.#byId.set(used.id, { ...used, status: "approved" });
  }

  async decide(id: string, decision: Decision, now: number): Promise<Approval | undefined> {
    // Found and set without a turn between: the first decision wins.
    const approval = this.#at(id, now);
    if (approval?.status !== "pending") return approval;
    const decided: Approval = {
      ...approval,
      status: decision.approved ? "approved" : "rejected",
      decidedAt: now,
      ...(decision.by !== undefined && { decidedBy: decision.by }),
      ...(decision.note !== undefined && { note: decision.note }),
      ...(decision.done !== undefined && { done: { output: wholeValue(decision.done.output) ?? null } }),
    };
    this.#byId.set(id, decided);
    return decided;
  }

  async get(id: string, now: number): Promise<Approval | undefined> {
    return this.#at(id, now);
  }

  async list(now: number, status?: ApprovalStatus): Promise<readonly Approval[]> {
    return [...this.#byId.values()]
      .reverse()
      .map((approval) => approvalAt(approval, now))
      .filter((approval) => status === undefined || approval.status === status);
  }

  #at(id: string, now: number): Approval | undefined {
    const approval = this.#byId.get(id);
    return approval && approvalAt(approval, now);
  }

  #newest(test: (approval: Approval) => boolean): Approval | undefined {
    return [...this.#byId.values()].findLast(test);
  }

  /** Forgets the oldest that is settled; where all are open the oldest of them, which is then asked for again. */
  #forgetOne(now: number): void {
    const all = [...this.#byId.values()];
    const victim = all.find((approval) => !isOpen(approval, now)) ?? all[0];
    if (victim !== undefined) this.#byId.delete(victim.id);
  }
}

import { type Clock, type IdGenerator, createIdGenerator, systemClock } from "../base/index.ts";
import {
  type Approval,
  type ApprovalRequest,
  type ApprovalStatus,
  type ApprovalStore,
  type Decision,
} from "./approvals.ts";
import { approvalStateAt, isApprovalOpen, maxApprovals } from "./approval-state.ts";
import type { InMemoryChanges } from "./in-memory-changes.ts";
import { copyWhole } from "./record-text.ts";

/** Options of {@link createInMemoryApprovals}. */
export interface InMemoryApprovalsOptions {
  readonly ids?: IdGenerator;
  readonly clock?: Clock;
  /** Receives the changes of the approvals. */
  readonly changes?: InMemoryChanges;
}

/**
 * Stores approvals in memory, for one process. Beyond 1,000 the oldest are removed.
 *
 * @example
 * ```ts
 * const approvals = createInMemoryApprovals();
 * ```
 *
 * @see docs/guide/engine.md
 */
export function createInMemoryApprovals(options: InMemoryApprovalsOptions = {}): ApprovalStore {
  return new InMemoryApprovals(options.ids ?? createIdGenerator(), options.clock ?? systemClock, options.changes);
}

class InMemoryApprovals implements ApprovalStore {
  readonly #ids: IdGenerator;
  readonly #clock: Clock;
  readonly #changes: InMemoryChanges | undefined;
  /** Oldest first. */
  readonly #byId = new Map<string, Approval>();

  constructor(ids: IdGenerator, clock: Clock, changes: InMemoryChanges | undefined) {
    this.#ids = ids;
    this.#clock = clock;
    this.#changes = changes;
    changes?.ofApprovals(this.#byId);
  }

  async request(request: ApprovalRequest): Promise<Approval> {
    const now = this.#clock.now();
    const open = this.#newest((approval) => approval.key === request.key && isApprovalOpen(approval, now));
    if (open !== undefined) return open;
    const args = copyWhole(request.args);
    const approval: Approval = { ...request, args, id: this.#ids.next(), status: "pending", createdAt: now };
    this.#set(approval);
    if (this.#byId.size > maxApprovals) this.#forgetOne(now);
    return approval;
  }

  async consume(key: string, now: number): Promise<boolean> {
    const approved = this.#newest(
      (approval) => approval.key === key && approvalStateAt(approval, now).status === "approved",
    );
    if (approved === undefined) return false;
    this.#set({ ...approved, status: "used" });
    return true;
  }

  async restore(key: string): Promise<void> {
    const used = this.#newest((approval) => approval.key === key && approval.status === "used");
    if (used !== undefined) this.#set({ ...used, status: "approved" });
  }

  async decide(id: string, decision: Decision, now: number): Promise<Approval | undefined> {
    // Read and written in the same turn of the event loop: the first decision wins.
    const approval = this.#at(id, now);
    if (approval?.status !== "pending") return approval;
    const decided: Approval = {
      ...approval,
      status: decision.approved ? "approved" : "rejected",
      decidedAt: now,
      ...(decision.by !== undefined && { decidedBy: decision.by }),
      ...(decision.note !== undefined && { note: decision.note }),
      ...(decision.done !== undefined && { done: { output: copyWhole(decision.done.output) ?? null } }),
    };
    this.#set(decided);
    return decided;
  }

  async get(id: string, now: number): Promise<Approval | undefined> {
    return this.#at(id, now);
  }

  async list(now: number, status?: ApprovalStatus): Promise<readonly Approval[]> {
    return [...this.#byId.values()]
      .reverse()
      .map((approval) => approvalStateAt(approval, now))
      .filter((approval) => status === undefined || approval.status === status);
  }

  #set(approval: Approval): void {
    this.#byId.set(approval.id, approval);
    this.#changes?.approval(approval);
  }

  #at(id: string, now: number): Approval | undefined {
    const approval = this.#byId.get(id);
    return approval && approvalStateAt(approval, now);
  }

  #newest(test: (approval: Approval) => boolean): Approval | undefined {
    return [...this.#byId.values()].findLast(test);
  }

  /** Removes the oldest settled approval; if all are open, the oldest of them, which is then requested again. */
  #forgetOne(now: number): void {
    const all = [...this.#byId.values()];
    const victim = all.find((approval) => !isApprovalOpen(approval, now)) ?? all[0];
    if (victim !== undefined) this.#byId.delete(victim.id);
  }
}

import { type Clock, systemClock } from "../base/index.ts";
import { type InMemoryRun, hasAwaitedEvent } from "./in-memory-run.ts";
import type { InMemoryRunJournalOptions } from "./in-memory-run-journal-options.ts";
import type { Liveness } from "./run-journal.ts";
import { leaseTimeoutMs } from "./run-state.ts";

/** Decides which runs of an in-memory journal can be claimed, and which suspended ones may continue. */
export class RunReadiness {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #liveness: Pick<Liveness, "isGone">;
  readonly #approvals: InMemoryRunJournalOptions["approvals"];
  /** Time of the last sign of life of each owner. */
  readonly #lastSeen = new Map<string, number>();

  constructor(options: InMemoryRunJournalOptions) {
    this.#approvals = options.approvals;
    this.#clock = options.clock ?? systemClock;
    this.#silenceMs = options.leaseTimeoutMs ?? leaseTimeoutMs;
    this.#liveness = options.liveness ?? { isGone: async (owner) => this.#isSilent(owner) };
  }

  /** Notes a sign of life. */
  touch(owner: string): void {
    this.#lastSeen.set(owner, this.#clock.now());
  }

  isGone(owner: string): Promise<boolean> {
    return this.#liveness.isGone(owner);
  }

  async isFree({ owner }: InMemoryRun): Promise<boolean> {
    return owner === undefined || this.isGone(owner);
  }

  /** True if a suspended run may continue: it was submitted or cancelled, its time has come, or it was decided. */
  async isAwake({ status, waitsFor, inbox }: InMemoryRun): Promise<boolean> {
    if (status !== "waiting" || waitsFor === undefined) return false;
    const now = this.#clock.now();
    if (waitsFor === "ready" || (waitsFor.until !== undefined && waitsFor.until <= now)) return true;
    if (hasAwaitedEvent(inbox, waitsFor)) return true;
    for (const id of waitsFor.approvals) {
      const approval = await this.#approvals.get(id, now);
      if (approval !== undefined && approval.status !== "pending") return true;
    }
    return false;
  }

  /** All owners are in this process and therefore alive, but one without signs of life has lost its runs. */
  #isSilent(owner: string): boolean {
    return Math.abs(this.#clock.now() - (this.#lastSeen.get(owner) ?? -Infinity)) > this.#silenceMs;
  }
}

import type { Clock } from "../base/index.ts";
import type { ApprovalStore } from "./approvals.ts";
import type { DeliveryStore } from "./deliveries.ts";
import type { InMemoryChanges } from "./in-memory-changes.ts";
import type { RecordStore } from "./records.ts";
import type { Liveness } from "./run-journal.ts";
import type { UnfinishedRuns } from "./unfinished-runs.ts";

/** Options of `createInMemoryRunJournal`. */
export interface InMemoryRunJournalOptions {
  /** The store of the approvals that its runs wait for: a decision makes them executable. */
  readonly approvals: Pick<ApprovalStore, "get">;
  /** Maximum number of finished runs; beyond it the run that finished first is removed. Default: 100. */
  readonly finished?: number;
  /**
   * Maximum number, counted separately, of finished runs that are not prompts of a conversation and were called by no
   * run known here. Default: they count like all others.
   */
  readonly detached?: number;
  /** Shared by journals whose runs call each other: a called run is retained until the run that called it is over. */
  readonly unfinished?: UnfinishedRuns;
  /** Receives the records that come with events. */
  readonly records?: Pick<RecordStore, "add">;
  /** Receives the deliveries of ends. */
  readonly deliveries?: Pick<DeliveryStore, "add">;
  /** Receives the changes of its runs. */
  readonly changes?: InMemoryChanges;
  readonly clock?: Clock;
  /** Time without a sign of life after which an owner is gone. Default: 15 s. */
  readonly leaseTimeoutMs?: number;
  /** Decides instead whether an owner is gone. */
  readonly liveness?: Pick<Liveness, "isGone">;
}

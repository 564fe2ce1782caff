import type { JournalEvent } from "../../store/index.ts";
import type { Effect } from "../../tool/index.ts";
import type { DeadlineWait, HostOutcome, SettledOutcome } from "../host.ts";
import { ReplayCursor } from "./replay-cursor.ts";

/** A call that had started. */
export interface RecordedStart {
  readonly at: number;
  readonly effect: Effect;
}

/** An approval that was requested. */
export interface RecordedApproval {
  readonly approvalId: string;
  /** Expiry of the approval in epoch milliseconds. */
  readonly due: number;
}

/** The recorded history of a run, read from its journal. */
export class ReplayLog {
  static readonly #nothing = new ReplayLog([]);

  /** Recorded outcomes to replay. */
  readonly outcomes: ReplayCursor;
  /** The last event's. */
  readonly seq: number = 0;
  /** Time of the last event; 0 if there is none. */
  readonly at: number = 0;
  readonly #started = new Map<string, RecordedStart>();
  readonly #due = new Map<string, number | undefined>();
  /** Position of the last external event that the run consumed, by name. */
  readonly consumed: ReadonlyMap<string, number>;
  readonly #approvals = new Map<string, RecordedApproval>();
  /** Remaining time of deadlines, and when it was recorded. */
  readonly #remaining = new Map<string, { readonly remainingMs: number; readonly at: number }>();
  /** True if the run has requested approvals. */
  readonly hasApprovals: boolean = false;

  /** Most runs have no history and share one instance. */
  static of(events: readonly JournalEvent[]): ReplayLog {
    return events.length === 0 ? ReplayLog.#nothing : new ReplayLog(events);
  }

  private constructor(events: readonly JournalEvent[]) {
    const settled: SettledOutcome[] = [];
    const consumed = new Map<string, number>();
    for (const { seq, kind, key, at, data } of events) {
      this.seq = seq;
      this.at = Math.max(this.at, at);
      // The host wrote the data, so its shape is known.
      if (kind === "settled") {
        const outcome = data as HostOutcome;
        settled.push({ key, outcome, at });
        if (isApprovalOutcome(outcome)) this.hasApprovals = true;
        if (outcome.kind === "event") consumed.set(outcome.name, outcome.position);
      } else if (kind === "started") {
        this.#started.set(key, { at, effect: (data as { effect: Effect }).effect });
      } else {
        const waiting = data as { due?: number } | { remaining: number } | RecordedApproval;
        if ("approvalId" in waiting) {
          this.#approvals.set(key, waiting);
          this.hasApprovals = true;
        } else if ("remaining" in waiting) {
          this.#remaining.set(key, { remainingMs: waiting.remaining, at });
        } else {
          this.#due.set(key, waiting.due);
        }
      }
    }
    this.outcomes = new ReplayCursor(settled);
    this.consumed = consumed;
  }

  /** Returns the start of a call that may have had side effects. */
  started(key: string): RecordedStart | undefined {
    return this.#started.size === 0 ? undefined : this.#started.get(key);
  }

  /** True if the timer or external wait under this key had begun. */
  hasBegun(key: string): boolean {
    return this.#due.has(key);
  }

  /** Returns the end of the timer or external wait under this key in epoch milliseconds, if it has one. */
  due(key: string): number | undefined {
    return this.#due.get(key);
  }

  /**
   * Returns the remaining time of a deadline. Only time in which the run was executed counts, up to the last recorded
   * event.
   */
  remainingMs(key: string, { ms, since }: DeadlineWait): number {
    const { remainingMs, at } = this.#remaining.get(key) ?? { remainingMs: ms, at: since };
    return Math.max(0, remainingMs - Math.max(0, this.at - at));
  }

  /** Returns the approval that was requested under this key. */
  approvalOf(key: string): RecordedApproval | undefined {
    return this.#approvals.get(key);
  }
}

/** True for a call that needs approval by a permission rule. */
function isApprovalOutcome(outcome: HostOutcome): boolean {
  if (outcome.kind !== "call") return false;
  const { result, pendingApproval } = outcome;
  return pendingApproval !== undefined || (!result.success && result.error.approvalId !== undefined);
}

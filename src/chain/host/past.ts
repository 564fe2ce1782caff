import type { JournalEvent } from "../../store/index.ts";
import type { Effect } from "../../tool/index.ts";
import type { Outcome, Settled } from "./host.ts";

/** A call that had started. */
export interface StartedBefore {
  readonly at: number;
  readonly effect: Effect;
}

/** What happened to a run before, as its journal has it. */
export class Past {
  /** In the order in which it is told again. */
  readonly settled: readonly Settled[];
  /** The last event's. */
  readonly seq: number = 0;
  /** When the last event happened; 0 when there is none. */
  readonly at: number = 0;
  readonly #keys = new Set<string>();
  readonly #started = new Map<string, StartedBefore>();
  readonly #due = new Map<string, number>();

  constructor(events: readonly JournalEvent[]) {
    const settled: Settled[] = [];
    for (const { seq, kind, key, at, data } of events) {
      this.seq = seq;
      this.at = Math.max(this.at, at);
      // The shapes of the data are those that the host writes.
      if (kind === "settled") {
        settled.push({ key, outcome: data as Outcome, at });
        this.#keys.add(key);
      } else if (kind === "started") {
        this.#started.set(key, { at, effect: (data as { effect: Effect }).effect });
      } else {
        this.#due.set(key, (data as { due: number }).due);
      }
    }
    this.settled = settled;
  }

  /** Its outcome is known. */
  has(key: string): boolean {
    return this.#keys.size > 0 && this.#keys.has(key);
  }

  /** It started and changed the world, perhaps. */
  started(key: string): StartedBefore | undefined {
    return this.#started.size === 0 ? undefined : this.#started.get(key);
  }

  /** When the wait under this key is over; epoch milliseconds. */
  due(key: string): number | undefined {
    return this.#due.get(key);
  }
}

import type { JournalEvent } from "../../store/index.ts";
import type { Effect } from "../../tool/index.ts";
import type { DeadlineWait, Outcome, Settled } from "./host.ts";
import { Retelling } from "./retelling.ts";

/** A call that had started. */
export interface StartedBefore {
  readonly at: number;
  readonly effect: Effect;
}

/** A question that was put to people. */
export interface AskedBefore {
  readonly approvalId: string;
  /** When the time for an answer is over; epoch milliseconds. */
  readonly due: number;
}

/** What happened to a run before, as its journal has it. */
export class Past {
  static readonly #nothing = new Past([]);

  /** What ended, to be told again. */
  readonly outcomes: Retelling;
  /** The last event's. */
  readonly seq: number = 0;
  /** When the last event happened; 0 when there is none. */
  readonly at: number = 0;
  readonly #started = new Map<string, StartedBefore>();
  readonly #due = new Map<string, number>();
  readonly #asked = new Map<string, AskedBefore>();
  /** What was left of a deadline, and when. */
  readonly #left = new Map<string, { readonly left: number; readonly at: number }>();
  /** It has put questions to people. */
  readonly hasAsked: boolean = false;

  /** Of most runs there is none. */
  static of(events: readonly JournalEvent[]): Past {
    return events.length === 0 ? Past.#nothing : new Past(events);
  }

  private constructor(events: readonly JournalEvent[]) {
    const settled: Settled[] = [];
    for (const { seq, kind, key, at, data } of events) {
      this.seq = seq;
      this.at = Math.max(this.at, at);
      // The shapes of the data are those that the host writes.
      if (kind === "settled") {
        const outcome = data as Outcome;
        settled.push({ key, outcome, at });
        if (isQuestion(outcome)) this.hasAsked = true;
      } else if (kind === "started") {
        this.#started.set(key, { at, effect: (data as { effect: Effect }).effect });
      } else {
        const waiting = data as { due: number } | { left: number } | AskedBefore;
        if ("approvalId" in waiting) {
          this.#asked.set(key, waiting);
          this.hasAsked = true;
        } else if ("left" in waiting) {
          this.#left.set(key, { left: waiting.left, at });
        } else {
          this.#due.set(key, waiting.due);
        }
      }
    }
    this.outcomes = new Retelling(settled);
  }

  /** It started and changed the world, perhaps. */
  started(key: string): StartedBefore | undefined {
    return this.#started.size === 0 ? undefined : this.#started.get(key);
  }

  /** When the wait under this key is over; epoch milliseconds. */
  due(key: string): number | undefined {
    return this.#due.get(key);
  }

  /** What is left of a deadline: the time counts that the run was executed, up to the last thing that is known. */
  left(key: string, { ms, since }: DeadlineWait): number {
    const { left, at } = this.#left.get(key) ?? { left: ms, at: since };
    return Math.max(0, left - Math.max(0, this.at - at));
  }

  /** The approval that the question under this key is about. */
  asked(key: string): AskedBefore | undefined {
    return this.#asked.get(key);
  }
}

/** A call for which a rule wants a person's approval. */
function isQuestion(outcome: Outcome): boolean {
  if (outcome.kind !== "call") return false;
  const { result, asks } = outcome;
  return asks !== undefined || (!result.success && result.error.approvalId !== undefined);
}

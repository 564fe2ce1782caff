import type { Clock } from "../../base/index.ts";
import type { CallRecord, JournalEvent, NewJournalEvent, RunLease } from "../../store/index.ts";
import type { Outcome, Settled } from "./host.ts";

/** The part of a journal that a host writes to. */
export interface EventSink {
  append(lease: RunLease, event: NewJournalEvent): Promise<void> | undefined;
}

/** What an {@link EventWriter} is made of. */
export interface EventWriterParts {
  readonly lease: RunLease;
  readonly startedAt: number;
  /** Absent for a run that nobody will take up again. */
  readonly journal: EventSink | undefined;
  readonly clock: Clock;
}

/** Writes down what happens to a run, one thing after the other. */
export class EventWriter {
  readonly #parts: EventWriterParts;
  #seq: number;
  /** Of the last event: a clock that is put back does not turn the run's time around. */
  #at: number;

  /** @param last The number and the time of the last event so far. */
  constructor(parts: EventWriterParts, last: { readonly seq: number; readonly at: number }) {
    this.#parts = parts;
    this.#seq = last.seq;
    this.#at = Math.max(last.at, parts.startedAt);
  }

  /** Undefined when it is kept at once, or nothing is kept. */
  append(kind: JournalEvent["kind"], key: string, data: unknown): Promise<void> | undefined {
    const { journal, lease } = this.#parts;
    return journal?.append(lease, { seq: ++this.#seq, kind, key, at: this.now(), data });
  }

  /** Keeps an outcome, and the record of its call in the same transaction. */
  settle({ key, outcome, at }: Settled, record: CallRecord | undefined): Promise<void> | undefined {
    const { journal, lease } = this.#parts;
    if (journal === undefined) return undefined;
    const event = { seq: ++this.#seq, kind: "settled" as const, key, at, data: outcome };
    return journal.append(lease, record === undefined ? event : { ...event, record });
  }

  /** When it happened: a call has told when it ended, and need not be asked again. */
  timeOf(outcome: Outcome): number {
    if (outcome.kind !== "call") return this.now();
    const { executedAt, durationMs } = outcome.result;
    return this.#later(Math.floor(executedAt + durationMs));
  }

  now(): number {
    return this.#later(this.#parts.clock.now());
  }

  #later(at: number): number {
    if (at > this.#at) this.#at = at;
    return this.#at;
  }
}

import type { Clock } from "../../base/index.ts";
import type { CallRecord, ExternalEvent, JournalEvent, NewJournalEvent, RunLease } from "../../store/index.ts";
import type { SettledOutcome } from "../host.ts";

/** The part of a journal that a host uses. */
export interface JournalSink {
  append(lease: RunLease, event: NewJournalEvent): Promise<void> | undefined;
  /** The external events of a run after a position. Without it, the run receives none. */
  inbox?(runId: string, after: number): Promise<readonly ExternalEvent[]>;
}

/** Dependencies of a {@link JournalWriter}. */
export interface JournalWriterDeps {
  readonly lease: RunLease;
  readonly startedAt: number;
  /** Undefined for a run that is not durable and cannot be resumed. */
  readonly journal: JournalSink | undefined;
  readonly clock: Clock;
}

/** Appends the events of a run to its journal, in order. */
export class JournalWriter {
  readonly #parts: JournalWriterDeps;
  #seq: number;
  /** Time of the last event. Keeps the run's time monotonic if the system clock is set back. */
  #at: number;

  /** @param last The sequence number and the time of the last event so far. */
  constructor(parts: JournalWriterDeps, last: { readonly seq: number; readonly at: number }) {
    this.#parts = parts;
    this.#seq = last.seq;
    this.#at = Math.max(last.at, parts.startedAt);
  }

  /** Appends an event. Undefined if the event is durable immediately, or if the run is not durable. */
  append(kind: JournalEvent["kind"], key: string, data: unknown): Promise<void> | undefined {
    const { journal, lease } = this.#parts;
    return journal?.append(lease, { seq: ++this.#seq, kind, key, at: this.now(), data });
  }

  /** Appends an outcome, and the record of its call in the same transaction. */
  settle({ key, outcome, at }: SettledOutcome, record: CallRecord | undefined): Promise<void> | undefined {
    const { journal, lease } = this.#parts;
    if (journal === undefined) return undefined;
    const event = { seq: ++this.#seq, kind: "settled" as const, key, at, data: outcome };
    return journal.append(lease, record === undefined ? event : { ...event, record });
  }

  /** Returns the time of an outcome. A call has its end time, so the clock is not read once more. */
  timeOf(at: number | undefined): number {
    return at === undefined ? this.now() : this.#later(at);
  }

  /** Whole milliseconds, as all times of a journal. */
  now(): number {
    return this.#later(Math.floor(this.#parts.clock.now()));
  }

  #later(at: number): number {
    if (at > this.#at) this.#at = at;
    return this.#at;
  }
}

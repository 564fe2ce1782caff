import type { Clock, Timer } from "../../base/index.ts";
import type { AwaitedEvent, ExternalEvent } from "../../store/index.ts";
import type { EventOutcome, ExternalWait } from "../host.ts";

/** A run whose next time is nearer than this waits for it in its process. */
const nearMs = 10_000;

/** The clock is read again after this time: it may have been set. */
const maxDelayMs = 60_000;

/** Dependencies of {@link ExternalWaits}. */
interface ExternalWaitsDeps {
  readonly clock: Clock;
  /** Reads the events of the run after a position. Undefined for a run that is not durable: it receives none. */
  readonly inbox: ((after: number) => Promise<readonly ExternalEvent[]>) | undefined;
  /** Position of the last event that the run consumed before, by name. */
  readonly consumed: ReadonlyMap<string, number>;
  /** Journals the end of a wait. */
  readonly settled: (key: string, outcome: EventOutcome | { readonly kind: "fired" }) => void;
  readonly onError: (error: unknown) => void;
}

interface OpenWait {
  readonly event: string | undefined;
  /** Epoch milliseconds. */
  readonly until: number | undefined;
  timer: Timer | undefined;
}

/**
 * The waits of a run for external events and for times. Each event is consumed by one wait: of those for its name, by
 * the one that began first. Which event was consumed follows from the journal alone, so nothing else is written.
 */
export class ExternalWaits {
  readonly #parts: ExternalWaitsDeps;
  /** In the order in which they began. */
  readonly #open = new Map<string, OpenWait>();
  readonly #consumed: Map<string, number>;
  /** One reading of the inbox after the other: two at once could consume an event twice. */
  #reading: Promise<void> = Promise.resolve();

  constructor(parts: ExternalWaitsDeps) {
    this.#parts = parts;
    this.#consumed = new Map(parts.consumed);
  }

  get size(): number {
    return this.#open.size;
  }

  /** True if the run need not stay in this process for any of the waits. */
  get canSuspend(): boolean {
    const { clock, inbox } = this.#parts;
    if (inbox === undefined) return this.#open.size === 0;
    const near = clock.now() + nearMs;
    return this.#open.values().every(({ until }) => until === undefined || until > near);
  }

  /** The awaited events, and the first time at which a wait ends. */
  get waitsFor(): { readonly events: readonly AwaitedEvent[]; readonly until: number } {
    const names = new Set(this.#open.values().flatMap(({ event }) => (event === undefined ? [] : [event])));
    const events = Array.from(names, (name) => ({ name, after: this.#consumed.get(name) ?? 0 }));
    return { events, until: Math.min(...this.#open.values().map(({ until = Infinity }) => until)) };
  }

  /** Begins a wait that ends at this time at the latest. */
  begin(key: string, { event }: Pick<ExternalWait, "event">, until: number | undefined): void {
    const wait: OpenWait = { event, until, timer: undefined };
    this.#open.set(key, wait);
    if (event !== undefined) this.poll().catch(this.#parts.onError);
    this.#arm(key, wait);
  }

  stop(key: string): void {
    this.#open.get(key)?.timer?.cancel();
    this.#open.delete(key);
  }

  close(): void {
    for (const key of this.#open.keys()) this.stop(key);
  }

  /** Ends the waits whose events have been delivered. */
  poll(): Promise<void> {
    const reading = this.#reading.catch(() => {}).then(() => this.#read());
    this.#reading = reading;
    return reading;
  }

  async #read(): Promise<void> {
    const { events } = this.waitsFor;
    if (events.length === 0) return;
    const found = (await this.#parts.inbox?.(Math.min(...events.map(({ after }) => after)))) ?? [];
    for (const event of found) this.#deliver(event);
  }

  #deliver({ name, id, position, at, data }: ExternalEvent): void {
    if (position <= (this.#consumed.get(name) ?? 0)) return;
    // An event that came after the end of a wait goes to the next one.
    const [key] = this.#open.entries().find(([, { event, until = Infinity }]) => event === name && at <= until) ?? [];
    if (key === undefined) return;
    this.#consumed.set(name, position);
    this.stop(key);
    const outcome = { kind: "event", name, id, position, deliveredAt: at, data: JSON.parse(data) as unknown } as const;
    this.#parts.settled(key, outcome);
  }

  #arm(key: string, wait: OpenWait): void {
    const { until } = wait;
    if (until === undefined) return;
    const { clock, onError } = this.#parts;
    const ms = Math.max(0, until - clock.now());
    wait.timer = clock.after(Math.min(ms, maxDelayMs), () => {
      if (clock.now() < until) this.#arm(key, wait);
      else this.#expire(key, wait).catch(onError);
    });
  }

  /** Ends a wait whose time has come, unless its event came before. */
  async #expire(key: string, wait: OpenWait): Promise<void> {
    if (wait.event !== undefined) await this.poll();
    if (this.#open.get(key) !== wait) return;
    this.stop(key);
    this.#parts.settled(key, { kind: "fired" });
  }
}

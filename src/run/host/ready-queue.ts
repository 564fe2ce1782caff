import type { SettledOutcome } from "../host.ts";

/** Returned when nothing more will happen without a decision or another process. */
export const suspended: SettledOutcome = { key: "", outcome: { kind: "suspended" }, at: 0 };

/**
 * Outcomes that were not delivered yet, in journal order. An outcome that is not durable yet holds back those behind
 * it.
 */
export class ReadyQueue {
  readonly #isSuspended: () => boolean;
  readonly #onNews: () => void;
  /** The head of the queue if it can be delivered: most runs never queue a second one. */
  #first: SettledOutcome | undefined = undefined;
  #line: SettledOutcome[] = [];
  #head = 0;
  /** Queued outcomes that are not durable yet; most runs never have one. */
  #held: Set<SettledOutcome> | undefined = undefined;
  /** True if `take` was called while the queue had nothing to deliver. */
  #awaited = false;
  #failure: { readonly error: unknown } | undefined = undefined;

  /**
   * @param isSuspended True if nothing more will happen without a decision or another process.
   * @param onNews Called when there is something to take, after there was nothing.
   */
  constructor(isSuspended: () => boolean, onNews: () => void) {
    this.#isSuspended = isSuspended;
    this.#onNews = onNews;
  }

  /** Queues an outcome that can be delivered immediately. */
  add(settled: SettledOutcome): void {
    if (this.isEmpty) this.#first = settled;
    else this.#line.push(settled);
    this.wake();
  }

  /** Queues an outcome that can be delivered once it is durable; call the returned function then. */
  reserve(settled: SettledOutcome): () => void {
    this.#line.push(settled);
    this.#held ??= new Set();
    this.#held.add(settled);
    return () => {
      this.#held?.delete(settled);
      this.wake();
    };
  }

  /** True if an outcome with this key is queued. */
  has(key: string): boolean {
    return this.#first?.key === key || this.#line.some((settled, index) => index >= this.#head && settled.key === key);
  }

  /** True if an outcome can be delivered immediately. */
  get hasNext(): boolean {
    return this.#failure !== undefined || this.#first !== undefined || this.#nextDurable !== undefined;
  }

  /** True if nothing is queued, not even outcomes that are not durable yet. */
  get isEmpty(): boolean {
    return this.#first === undefined && this.#head === this.#line.length;
  }

  /** Returns the next outcome, `suspended` if there is none and none will come, or undefined if there is none yet. */
  take(): SettledOutcome | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    const next = this.#shift() ?? (this.isEmpty && this.#isSuspended() ? suspended : undefined);
    this.#awaited = next === undefined;
    return next;
  }

  /** Notifies the consumer if it waits and there is something to take. */
  wake(): void {
    if (!this.#awaited || !(this.hasNext || (this.isEmpty && this.#isSuspended()))) return;
    this.#awaited = false;
    this.#onNews();
  }

  /** Discards the queue: nothing more is delivered, and pending writes are not awaited. */
  clear(): void {
    this.#first = undefined;
    this.#line = [];
    this.#head = 0;
    this.#held = undefined;
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.wake();
  }

  #shift(): SettledOutcome | undefined {
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      return first;
    }
    const next = this.#nextDurable;
    if (next === undefined) return undefined;
    this.#head++;
    if (this.isEmpty) {
      this.#line = [];
      this.#head = 0;
    } else if (this.#head >= 1024 && this.#head * 2 >= this.#line.length) {
      // Frees delivered entries once they are half of the array: amortized constant time.
      this.#line = this.#line.slice(this.#head);
      this.#head = 0;
    }
    return next;
  }

  /** The first outcome behind {@link #first}, if it is durable. */
  get #nextDurable(): SettledOutcome | undefined {
    const next = this.#line[this.#head];
    return next !== undefined && this.#held?.has(next) === true ? undefined : next;
  }
}

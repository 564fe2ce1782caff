import type { Settled } from "./host.ts";

/** Nothing more happens by itself. */
export const parked: Settled = { key: "", outcome: { kind: "parked" }, at: 0 };

/** What happened and was not told yet, in the order of the journal: one that is not durable holds up those behind it. */
export class ReadyQueue {
  readonly #isParked: () => boolean;
  readonly #onNews: () => void;
  /** The first in line, where it can be told: in most runs nothing is ever behind it. */
  #first: Settled | undefined = undefined;
  #line: Settled[] = [];
  #head = 0;
  /** Those in line that are not durable yet; most runs never have one. */
  #held: Set<Settled> | undefined = undefined;
  /** Somebody asked for the next when there was none. */
  #awaited = false;
  #failure: { readonly error: unknown } | undefined = undefined;

  /**
   * @param isParked Whether nothing more will come by itself.
   * @param onNews Called when there is something to take, after there was nothing.
   */
  constructor(isParked: () => boolean, onNews: () => void) {
    this.#isParked = isParked;
    this.#onNews = onNews;
  }

  /** Puts in line what can be told. */
  add(settled: Settled): void {
    if (this.isEmpty) this.#first = settled;
    else this.#line.push(settled);
    this.wake();
  }

  /** Puts in line what can be told once it is durable: then the returned function is called. */
  hold(settled: Settled): () => void {
    this.#line.push(settled);
    this.#held ??= new Set();
    this.#held.add(settled);
    return () => {
      this.#held?.delete(settled);
      this.wake();
    };
  }

  /** Is this in line? */
  has(key: string): boolean {
    return this.#first?.key === key || this.#line.some((settled, index) => index >= this.#head && settled.key === key);
  }

  /** Something can be told at once. */
  get hasNext(): boolean {
    return this.#failure !== undefined || this.#first !== undefined || this.#tellable !== undefined;
  }

  /** Nothing is in line, not even what is not durable yet. */
  get isEmpty(): boolean {
    return this.#first === undefined && this.#head === this.#line.length;
  }

  /** The next in line; `parked` when there is none and none will come, undefined when there is none yet. */
  take(): Settled | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    const next = this.#shift() ?? (this.isEmpty && this.#isParked() ? parked : undefined);
    this.#awaited = next === undefined;
    return next;
  }

  /** Something changed: whoever waits may go on. */
  wake(): void {
    if (!this.#awaited || !(this.hasNext || (this.isEmpty && this.#isParked()))) return;
    this.#awaited = false;
    this.#onNews();
  }

  /** Forgets what is in line: nobody is to be told, and what is on its way to the disk is not waited for. */
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

  #shift(): Settled | undefined {
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      return first;
    }
    const next = this.#tellable;
    if (next === undefined) return undefined;
    this.#head++;
    if (this.isEmpty) {
      this.#line = [];
      this.#head = 0;
    } else if (this.#head >= 1024 && this.#head * 2 >= this.#line.length) {
      // What was told is let go of, half of it at a time.
      this.#line = this.#line.slice(this.#head);
      this.#head = 0;
    }
    return next;
  }

  /** The first behind {@link #first}, where it is durable. */
  get #tellable(): Settled | undefined {
    const next = this.#line[this.#head];
    return next !== undefined && this.#held?.has(next) === true ? undefined : next;
  }
}

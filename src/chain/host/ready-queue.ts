import type { Settled } from "./host.ts";

interface Entry {
  readonly settled: Settled;
  durable: boolean;
}

/** Nothing more happens by itself. */
export const parked: Settled = { key: "", outcome: { kind: "parked" }, at: 0 };

/** What happened and was not told yet, in the order of the journal: one that is not durable holds up those behind it. */
export class ReadyQueue {
  readonly #isParked: () => boolean;
  #entries: Entry[] = [];
  #head = 0;
  #waiting: PromiseWithResolvers<Settled> | undefined = undefined;
  #failure: { readonly error: unknown } | undefined = undefined;

  /** @param isParked Whether nothing more will come by itself. */
  constructor(isParked: () => boolean) {
    this.#isParked = isParked;
  }

  /** Puts in line what can be told. */
  add(settled: Settled): void {
    // Most often somebody waits for just this.
    if (this.#waiting !== undefined && this.#isEmpty) this.#tell(settled);
    else this.#entries.push({ settled, durable: true });
  }

  /** Puts in line what can be told once it is durable: then the returned function is called. */
  hold(settled: Settled): () => void {
    const entry: Entry = { settled, durable: false };
    this.#entries.push(entry);
    return () => {
      entry.durable = true;
      this.wake();
    };
  }

  /** Is this in line? */
  has(key: string): boolean {
    return this.#entries.some(({ settled }, index) => index >= this.#head && settled.key === key);
  }

  /** Something can be told at once. */
  get hasNext(): boolean {
    return this.#failure !== undefined || this.#entries[this.#head]?.durable === true;
  }

  /** The next in line, at once or later; `parked` when there is none and none will come. */
  take(): Settled | Promise<Settled> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    const next = this.#shift();
    if (next !== undefined) return next;
    if (this.#isEmpty && this.#isParked()) return parked;
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** Something changed: whoever waits may go on. */
  wake(): void {
    if (this.#waiting === undefined) return;
    const next = this.#shift() ?? (this.#isEmpty && this.#isParked() ? parked : undefined);
    if (next !== undefined) this.#tell(next);
  }

  /** Forgets what is in line: nobody is to be told, and what is on its way to the disk is not waited for. */
  clear(): void {
    this.#entries = [];
    this.#head = 0;
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #tell(settled: Settled): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(settled);
  }

  get #isEmpty(): boolean {
    return this.#head === this.#entries.length;
  }

  #shift(): Settled | undefined {
    const entry = this.#entries[this.#head];
    if (entry === undefined || !entry.durable) return undefined;
    this.#head++;
    if (this.#isEmpty) {
      this.#entries = [];
      this.#head = 0;
    } else if (this.#head >= 1024 && this.#head * 2 >= this.#entries.length) {
      // What was told is let go of, half of it at a time.
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return entry.settled;
  }
}

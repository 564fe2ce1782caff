import type { Timer } from "../base/index.ts";
import type { RateWindow } from "./rate-window.ts";
import type { Scheduler } from "./scheduler.ts";
import { WaitQueue } from "./wait-queue.ts";

/** All calls of one category: their limit, their rate, and those that wait. */
export class Bucket {
  readonly name: string;
  readonly limit: number;
  readonly rate: RateWindow | undefined;
  /** @internal */
  readonly scheduler: Scheduler;
  /** Waiting for a global place and for one here. */
  readonly roots: WaitQueue = new WaitQueue();
  /**
   * Waiting for a place here only. Apart from the roots: a nested call behind a root that waits for a global place
   * would wait for the very call that waits for it.
   */
  readonly inner: WaitQueue = new WaitQueue();
  active = 0;
  acquired = 0;
  /** When this bucket was last served a global place: the one that waited longest is next. */
  turn = 0;
  /** Runs when the rate allows the next start. */
  timer: Timer | undefined = undefined;

  constructor(options: { name: string; limit: number; rate: RateWindow | undefined; scheduler: Scheduler }) {
    this.name = options.name;
    this.limit = options.limit;
    this.rate = options.rate;
    this.scheduler = options.scheduler;
  }

  get waiting(): number {
    return this.roots.size + this.inner.size;
  }

  hasRoom(now: number): boolean {
    return this.active < this.limit && (this.rate === undefined || this.rate.waitMs(now) === 0);
  }
}

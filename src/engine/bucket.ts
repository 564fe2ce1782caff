import { type Timer, LinkedList } from "../base/index.ts";
import type { RateWindow } from "./rate-window.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Ticket } from "./admission-ticket.ts";

/** All calls of one category: their concurrency limit, their rate limit, and their queues. */
export class Bucket {
  readonly name: string;
  readonly limit: number;
  readonly rate: RateWindow | undefined;
  /** @internal */
  readonly scheduler: Scheduler;
  /** Waiting for a global slot and for a slot of this bucket. */
  readonly roots: WaitQueue = new WaitQueue();
  /**
   * Waiting for a slot of this bucket only. Separate from the roots: a nested call behind a root that waits for a
   * global slot could wait for its own parent, a deadlock.
   */
  readonly inner: WaitQueue = new WaitQueue();
  active = 0;
  acquired = 0;
  /** Sequence number of the last global slot that went to this bucket. The bucket with the lowest number is next. */
  turn = 0;
  /** Fires when the rate limit allows the next start. */
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

  hasFreeSlot(now: number): boolean {
    return this.active < this.limit && (this.rate === undefined || this.rate.waitMs(now) === 0);
  }
}

interface Level {
  readonly priority: number;
  readonly tickets: LinkedList<Ticket>;
}

/** Waiting tickets by priority; first in, first out within a priority. */
export class WaitQueue {
  /** Highest priority first; no level is empty. */
  readonly #levels: Level[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get head(): Ticket | undefined {
    return this.#levels[0]?.tickets.first;
  }

  push(ticket: Ticket): void {
    const at = this.#levels.findIndex((level) => level.priority <= ticket.priority);
    let level = this.#levels[at];
    if (level?.priority !== ticket.priority) {
      level = { priority: ticket.priority, tickets: new LinkedList<Ticket>() };
      this.#levels.splice(at === -1 ? this.#levels.length : at, 0, level);
    }
    level.tickets.append(ticket);
    this.#size++;
  }

  remove(ticket: Ticket): void {
    const at = this.#levels.findIndex((level) => level.priority === ticket.priority);
    const level = this.#levels[at];
    if (!ticket.linked || level === undefined) return;
    level.tickets.remove(ticket);
    this.#size--;
    if (level.tickets.size === 0) this.#levels.splice(at, 1);
  }
}

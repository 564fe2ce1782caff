import type { Clock, Timer } from "../../src/base/index.ts";

interface Pending {
  readonly dueAt: number;
  readonly order: number;
  readonly task: () => void;
  held: boolean;
}

/** Time that advances only on command. It starts far from zero, so that a missing timestamp shows. */
export class FakeClock implements Clock {
  #elapsed = 1_000_000;
  #order = 0;
  readonly #pending = new Set<Pending>();

  /** Epoch milliseconds: 2026-01-01 plus the time that has passed. */
  now(): number {
    return Date.UTC(2026, 0, 1) + this.#elapsed - 1_000_000;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  after(ms: number, task: () => void): Timer {
    const pending: Pending = { dueAt: this.#elapsed + Math.max(0, ms), order: ++this.#order, task, held: true };
    this.#pending.add(pending);
    return {
      cancel: () => void this.#pending.delete(pending),
      hold: (alive) => void (pending.held = alive),
    };
  }

  /** Timers that would keep a process alive. */
  get holding(): number {
    return [...this.#pending].filter(({ held }) => held).length;
  }

  /** Every timer that is set. */
  get timers(): number {
    return this.#pending.size;
  }

  /** Advances time, timer by timer, without letting promises react in between. */
  advance(ms: number): void {
    const until = this.#elapsed + ms;
    for (let next = this.#next(until); next; next = this.#next(until)) this.#fire(next);
    this.#elapsed = until;
  }

  /** Advances time, and lets every promise react at each step of it. */
  async pass(ms: number): Promise<void> {
    const until = this.#elapsed + ms;
    await settle();
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#fire(next);
      await settle();
    }
    this.#elapsed = until;
    await settle();
  }

  /** Advances time to the next timer, and lets every promise react; false if no timer is set. */
  async passToNext(): Promise<boolean> {
    await settle();
    const next = this.#next(Infinity);
    if (next === undefined) return false;
    this.#fire(next);
    await settle();
    return true;
  }

  #next(until: number): Pending | undefined {
    let first: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.dueAt > until) continue;
      const sooner = first === undefined || pending.dueAt < first.dueAt;
      if (sooner || (pending.dueAt === first?.dueAt && pending.order < first.order)) first = pending;
    }
    return first;
  }

  #fire(pending: Pending): void {
    this.#pending.delete(pending);
    this.#elapsed = Math.max(this.#elapsed, pending.dueAt);
    pending.task();
  }
}

/** Lets every promise that can react, react. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

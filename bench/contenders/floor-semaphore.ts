import type { LimitContender } from "../contender.ts";

/** The minimum that limits concurrency: a counter and a queue of waiting resolvers. */
export function create(): LimitContender {
  const semaphore = new Semaphore(10);
  return { limited: (task) => semaphore.run(task) };
}

class Semaphore {
  #free: number;
  #waiting: (() => void)[] = [];
  #next = 0;

  constructor(positions: number) {
    this.#free = positions;
  }

  run(task: () => Promise<void>): Promise<void> {
    if (this.#free === 0) {
      return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() => this.#hold(task));
    }
    this.#free--;
    return this.#hold(task);
  }

  async #hold(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } finally {
      this.#leave();
    }
  }

  /** Passes the slot to the next waiting task, or frees it. */
  #leave(): void {
    const wake = this.#waiting[this.#next];
    if (wake === undefined) {
      this.#free++;
      return;
    }
    this.#next++;
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    wake();
  }
}

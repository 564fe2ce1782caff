import type { LimitContender } from "../contender.ts";

/** The least that limits: a counter and a queue of wake-ups. */
export function create(): LimitContender {
  const semaphore = new Semaphore(10);
  return { limited: (task) => semaphore.run(task) };
}

class Semaphore {
  #free: number;
  #waiting: (() => void)[] = [];
  #next = 0;

  constructor(places: number) {
    this.#free = places;
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

  /** The place passes to the next in line, or becomes free. */
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

/** Time as the engine sees it; a test passes its own. */
export interface Clock {
  /** Milliseconds since the epoch, for stamps that people read. */
  now(): number;
  /** Milliseconds that never go back, for durations and deadlines. */
  elapsed(): number;
  /** Runs `task` after `ms`. The timer keeps the process alive until it is cancelled or unreferenced. */
  after(ms: number, task: () => void): Timer;
}

/** A timer of a {@link Clock}. */
export interface Timer {
  cancel(): void;
  /** Whether the timer keeps the process alive. */
  hold(alive: boolean): void;
}

class SystemTimer implements Timer {
  readonly #handle: NodeJS.Timeout;
  #holds = true;
  #wanted = true;
  #changing = false;

  constructor(ms: number, task: () => void) {
    this.#handle = setTimeout(task, Math.min(ms, longest));
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }

  hold(alive: boolean): void {
    this.#wanted = alive;
    if (this.#changing || alive === this.#holds) return;
    // Later, since calls in a row change it twice each; the process lives at least until then.
    this.#changing = true;
    setImmediate(() => this.#change());
  }

  #change(): void {
    this.#changing = false;
    if (this.#wanted === this.#holds) return;
    this.#holds = this.#wanted;
    if (this.#holds) this.#handle.ref();
    else this.#handle.unref();
  }
}

/** Node fires at once when asked for more than this. */
const longest = 2 ** 31 - 1;

/** The real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, task) => new SystemTimer(ms, task),
};

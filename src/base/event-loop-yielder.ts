import { type Clock, systemClock } from "./clock.ts";

/** Long enough to make progress, short enough that other work does not notice. */
const turnMs = 8;

/** Options of an {@link EventLoopYielder}. */
export interface EventLoopYielderOptions {
  readonly clock?: Pick<Clock, "elapsed">;
  /** Called after each yield; throws to stop the work, such as when the caller has cancelled it. */
  readonly onYield?: () => void;
}

/** Keeps long work from blocking the event loop: call `yieldIfDue` between small parts of it. */
export class EventLoopYielder {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #onYield: (() => void) | undefined;
  #turnEnds: number;

  constructor({ clock = systemClock, onYield }: EventLoopYielderOptions = {}) {
    this.#clock = clock;
    this.#onYield = onYield;
    this.#turnEnds = clock.elapsed() + turnMs;
  }

  /** Lets other work run if this turn was long enough. Undefined if it was not. */
  yieldIfDue(): Promise<void> | undefined {
    return this.#clock.elapsed() < this.#turnEnds ? undefined : this.#yield();
  }

  async #yield(): Promise<void> {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    this.#onYield?.();
    this.#turnEnds = this.#clock.elapsed() + turnMs;
  }
}

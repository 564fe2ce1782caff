import type { Clock } from "./clock.ts";

/** How long the difference between the two times of a clock is taken to stay the same. */
const trustMs = 1000;

/** Epoch milliseconds for readings of a clock's elapsed time, without reading the clock again for each. */
export class WallTime {
  readonly #clock: Clock;
  #difference = 0;
  #comparedAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time at which the elapsed time was this; a clock that was set is noticed within a second. */
  at(elapsed: number): number {
    if (elapsed - this.#comparedAt > trustMs) {
      this.#comparedAt = elapsed;
      this.#difference = this.#clock.now() - elapsed;
    }
    return Math.round(this.#difference + elapsed);
  }
}

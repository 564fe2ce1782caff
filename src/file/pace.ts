import { type Clock, systemClock } from "../base/index.ts";
import { checkSignal } from "./file-reasons.ts";

/** Long enough to get on, short enough that nobody else notices. */
const turnMs = 8;

/** Keeps long work from holding up the process: it asks between small parts whether to rest. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Pick<Clock, "elapsed">;
  #turnEnds: number;

  constructor(signal?: AbortSignal, clock: Pick<Clock, "elapsed"> = systemClock) {
    this.#signal = signal;
    this.#clock = clock;
    this.#turnEnds = clock.elapsed() + turnMs;
  }

  /** Lets everything else have its turn when this one was long enough; throws when the caller has cancelled. */
  async rest(): Promise<void> {
    if (this.#clock.elapsed() < this.#turnEnds) return;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    checkSignal(this.#signal);
    this.#turnEnds = this.#clock.elapsed() + turnMs;
  }
}

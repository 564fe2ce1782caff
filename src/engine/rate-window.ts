import { FailureError } from "../base/index.ts";

/** At most `count` starts in any window of `windowMs`. */
export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };
const maxPerWindow = 100_000;

/** Parses `10/s`, `100/m`, `5/2s`. */
export function parseRate(text: string): Rate {
  const match = /^\s*(\d+)\s*\/\s*(\d*)\s*(ms|s|min|m|h)\s*$/.exec(text);
  const count = Number(match?.[1]);
  const windowMs = Number(match?.[2] || 1) * (units[match?.[3] ?? ""] ?? 0);
  if (!match || count < 1 || count > maxPerWindow || windowMs < 1) {
    throw new FailureError(`"${text}" is not a rate; write for example 10/s, 100/m or 5/2s`, { code: "file_invalid" });
  }
  return { count, windowMs };
}

/**
 * An exact sliding window: it stores the last `count` starts, so no window of this length ever holds more. A token
 * bucket would admit twice as many around a refill.
 */
export class RateWindow {
  readonly rate: Rate;
  readonly #starts: Float64Array;
  #next = 0;

  constructor(rate: Rate) {
    this.rate = rate;
    this.#starts = new Float64Array(rate.count).fill(-Infinity);
  }

  /** Returns the milliseconds until one more may start; 0 means now. */
  waitMs(now: number): number {
    return Math.max(0, (this.#starts[this.#next] ?? -Infinity) + this.rate.windowMs - now);
  }

  /** Counts a start. Call it only if {@link waitMs} is 0. */
  take(now: number): void {
    this.#starts[this.#next] = now;
    this.#next = (this.#next + 1) % this.#starts.length;
  }
}

/** Tokens that fill up over time: a few requests at once, so many a minute in the long run. */
export class RateBucket {
  readonly #perMs: number;
  readonly #most: number;
  #tokens: number;
  #filledAt = -Infinity;

  constructor(perMinute: number) {
    this.#perMs = perMinute / 60_000;
    this.#most = Math.max(1, Math.floor(perMinute / 10));
    this.#tokens = this.#most;
  }

  /** Takes a token, or says in how many milliseconds there will be one. */
  take(now: number): number {
    const filled = Number.isFinite(this.#filledAt) ? (now - this.#filledAt) * this.#perMs : 0;
    this.#tokens = Math.min(this.#most, this.#tokens + Math.max(0, filled));
    this.#filledAt = now;
    // Sums of fractions may fall short of a whole token by next to nothing.
    if (this.#tokens < 1 - 1e-9) return Math.ceil((1 - this.#tokens) / this.#perMs - 1e-6);
    this.#tokens = Math.max(0, this.#tokens - 1);
    return 0;
  }
}

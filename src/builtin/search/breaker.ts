/** How patient a {@link Breaker} is. */
export interface BreakerLimits {
  /** Failures in a row before it opens. */
  readonly failures: number;
  /** How long it stays open first; twice as long each time that the trial fails. */
  readonly restMs: number;
  readonly longestRestMs: number;
}

const usual: BreakerLimits = { failures: 3, restMs: 30_000, longestRestMs: 600_000 };

/** Keeps work away from somebody who fails time and again; after a rest one piece of work tries whether it is over. */
export class Breaker {
  readonly #limits: BreakerLimits;
  #failures = 0;
  #rests = 0;
  #openUntil = -Infinity;
  #trying = false;

  constructor(limits: BreakerLimits = usual) {
    this.#limits = limits;
  }

  /** 0 when work may begin; then it must end with `succeed`, `fail` or `forget`. Else how long to keep away. */
  enter(now: number): number {
    if (this.#openUntil > now) return this.#openUntil - now;
    if (this.#rests === 0) return 0;
    if (this.#trying) return this.#limits.restMs;
    this.#trying = true;
    return 0;
  }

  succeed(): void {
    this.#failures = 0;
    this.#rests = 0;
    this.#trying = false;
  }

  /** It failed; `waitMs` where it said itself how long to keep away. */
  fail(now: number, waitMs?: number): void {
    const { failures, restMs, longestRestMs } = this.#limits;
    this.#failures++;
    const tried = this.#trying;
    this.#trying = false;
    if (!tried && waitMs === undefined && this.#failures < failures) return;
    const rest = Math.max(waitMs ?? 0, restMs * 2 ** this.#rests);
    this.#rests = Math.min(this.#rests + 1, 16);
    this.#openUntil = now + Math.min(longestRestMs, rest);
  }

  /** The work ended without telling anything about the other side. */
  forget(): void {
    this.#trying = false;
  }
}

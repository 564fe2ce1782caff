/** How patient a {@link Breaker} is. */
export interface BreakerLimits {
  /** Failures in a row, each of another call, before it opens. */
  readonly failures: number;
  /** How long it stays open first; twice as long each time that the trial fails. */
  readonly restMs: number;
  readonly longestRestMs: number;
}

/** What is known of a failure. */
export interface Broken {
  /** Who failed: several failures of one call, which tried again, count as one. */
  readonly call?: string | undefined;
  /** How long the other side asked to be left alone. */
  readonly waitMs?: number | undefined;
}

const usual: BreakerLimits = { failures: 3, restMs: 30_000, longestRestMs: 600_000 };

/** Keeps work away from somebody who fails time and again; after a rest one piece of work tries whether it is over. */
export class Breaker {
  readonly #limits: BreakerLimits;
  /** The calls that failed since the last success or rest; one without a name is like no other. */
  readonly #failed = new Set<string | symbol>();
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
    this.#failed.clear();
    this.#rests = 0;
    this.#trying = false;
  }

  /** It failed. Gives how long to keep away from now on; 0 where work may go on. */
  fail(now: number, { call, waitMs }: Broken = {}): number {
    const { failures, restMs, longestRestMs } = this.#limits;
    const tried = this.#trying;
    this.#trying = false;
    this.#failed.add(call ?? Symbol("call"));
    if (!tried && waitMs === undefined && this.#failed.size < failures) return 0;
    this.#failed.clear();
    const rest = Math.min(longestRestMs, Math.max(waitMs ?? 0, restMs * 2 ** this.#rests));
    this.#rests = Math.min(this.#rests + 1, 16);
    this.#openUntil = Math.max(this.#openUntil, now + rest);
    return this.#openUntil - now;
  }

  /** The work ended without telling anything about the other side. */
  forget(): void {
    this.#trying = false;
  }
}

/** Limits of a {@link SearchBreaker}. */
export interface SearchBreakerLimits {
  /** Failures in a row, each of another call, before it opens. */
  readonly failures: number;
  /** Initial cool-down. It doubles each time that the probe fails. */
  readonly coolDownMs: number;
  readonly maxCoolDownMs: number;
}

/** Details of a failure. */
export interface BreakerFailure {
  /** The call that failed. Several failures of one call, from its retries, count as one. */
  readonly call?: string | undefined;
  /** Delay that the provider requested before the next attempt. */
  readonly waitMs?: number | undefined;
}

const defaultBreakerLimits: SearchBreakerLimits = { failures: 3, coolDownMs: 30_000, maxCoolDownMs: 600_000 };

/**
 * Circuit breaker: blocks requests to a provider that fails repeatedly. After the cool-down one probe request decides.
 */
export class SearchBreaker {
  readonly #limits: SearchBreakerLimits;
  /** The calls that failed since the last success or cool-down; a call without an id counts as a new one. */
  readonly #failed = new Set<string | symbol>();
  #rests = 0;
  #openUntil = -Infinity;
  #trying = false;

  constructor(limits: SearchBreakerLimits = defaultBreakerLimits) {
    this.#limits = limits;
  }

  /**
   * Returns 0 if work may start; then it must end with `succeed`, `fail` or `forget`. Otherwise returns the remaining
   * cool-down.
   */
  enter(now: number): number {
    if (this.#openUntil > now) return this.#openUntil - now;
    if (this.#rests === 0) return 0;
    if (this.#trying) return this.#limits.coolDownMs;
    this.#trying = true;
    return 0;
  }

  succeed(): void {
    this.#failed.clear();
    this.#rests = 0;
    this.#trying = false;
  }

  /** Records a failure. Returns the remaining cool-down, or 0 if requests may continue. */
  fail(now: number, { call, waitMs }: BreakerFailure = {}): number {
    const { failures, coolDownMs, maxCoolDownMs } = this.#limits;
    const tried = this.#trying;
    this.#trying = false;
    this.#failed.add(call ?? Symbol("call"));
    if (!tried && waitMs === undefined && this.#failed.size < failures) return 0;
    this.#failed.clear();
    const rest = Math.min(maxCoolDownMs, Math.max(waitMs ?? 0, coolDownMs * 2 ** this.#rests));
    this.#rests = Math.min(this.#rests + 1, 16);
    this.#openUntil = Math.max(this.#openUntil, now + rest);
    return this.#openUntil - now;
  }

  /** Records that the work ended without evidence for or against the provider. */
  forget(): void {
    this.#trying = false;
  }
}

import { backoffMs } from "./backoff.ts";

/** Limits of a {@link CircuitBreaker}. */
export interface CircuitBreakerLimits {
  /** Consecutive failures, each of another call, after which it opens. */
  readonly failureThreshold: number;
  /** Initial cool-down; it doubles each time that the probe fails. */
  readonly coolDownMs: number;
  readonly maxCoolDownMs: number;
}

/** Details of a failure. */
export interface BreakerFailure {
  /** Id of the failed call. Several failures of one call, from its retries, count as one. */
  readonly call?: string | undefined;
  /** Delay that the service requested. The breaker opens at once, for at least this long. */
  readonly waitMs?: number | undefined;
}

/** Default limits. */
export const defaultBreakerLimits: CircuitBreakerLimits = {
  failureThreshold: 3,
  coolDownMs: 30_000,
  maxCoolDownMs: 600_000,
};

/**
 * Circuit breaker: blocks work that failed several times in a row. After a cool-down, one probe decides whether it
 * closes. `now` is the elapsed time of a clock.
 */
export class CircuitBreaker {
  readonly #limits: CircuitBreakerLimits;
  readonly #random: () => number;
  /** The calls that failed since the last success or cool-down; a call without an id counts as a new one. */
  readonly #failed = new Set<string | symbol>();
  /** Cool-downs since the last success. */
  #coolDowns = 0;
  #openUntil = -Infinity;
  #probing = false;

  /** @param random Shortens each cool-down by up to a half. Default: never shorter. */
  constructor(limits: CircuitBreakerLimits = defaultBreakerLimits, random: () => number = () => 1) {
    this.#limits = limits;
    this.#random = random;
  }

  /** True until work succeeds, also after the cool-down. */
  get isOpen(): boolean {
    return this.#coolDowns > 0;
  }

  /** Remaining cool-down, without regard to a probe. */
  waitMs(now: number): number {
    return Math.max(0, this.#openUntil - now);
  }

  /** Remaining cool-down; 0 if work may start, be it as the probe. */
  coolDownMs(now: number): number {
    return this.waitMs(now) || (this.#probing ? this.#limits.coolDownMs : 0);
  }

  /** Work starts; it must end with `succeeded`, `failed` or `ignored`. */
  enter(): void {
    this.#probing = this.isOpen;
  }

  succeeded(): void {
    this.#failed.clear();
    this.#coolDowns = 0;
    this.#openUntil = -Infinity;
    this.#probing = false;
  }

  /** Records a failure. Returns the remaining cool-down. */
  failed(now: number, { call, waitMs }: BreakerFailure = {}): number {
    const { failureThreshold, coolDownMs, maxCoolDownMs } = this.#limits;
    const isProbe = this.isOpen && this.#openUntil <= now;
    this.#probing = false;
    this.#failed.add(call ?? Symbol("call"));
    if (!isProbe && waitMs === undefined && this.#failed.size < failureThreshold) return this.waitMs(now);
    this.#failed.clear();
    const pauseMs = backoffMs(this.#coolDowns, {
      firstMs: coolDownMs,
      maxMs: maxCoolDownMs,
      waitMs: Math.min(waitMs ?? 0, maxCoolDownMs),
      random: this.#random,
    });
    this.#coolDowns = Math.min(this.#coolDowns + 1, 16);
    this.#openUntil = Math.max(this.#openUntil, now + pauseMs);
    return this.waitMs(now);
  }

  /** Work ended without evidence for or against the service. */
  ignored(): void {
    this.#probing = false;
  }
}

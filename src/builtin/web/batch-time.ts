import type { Clock } from "../../base/index.ts";
import type { PageLimits } from "./page-limits.ts";

/** What {@link BatchTime} divides, and among how many at once. */
export type TimeLimits = Pick<PageLimits, "concurrency" | "perHost" | "timeoutMs" | "deadlineMs">;

const robotsBounds = { least: 1000, most: 10_000 } as const;

/** How long a robots.txt may take, where so much time is left: it decides about every page of its site. */
export function robotsTimeMs(ms: number): number {
  return Math.min(robotsBounds.most, Math.max(robotsBounds.least, ms));
}

/**
 * Divides the time of a batch among its pages: each may take as long as would be left for it if every other took as
 * long. So pages that hang cannot use up the time of those that wait for their places, and the fewer are left, the more
 * patience there is.
 */
export class BatchTime {
  readonly #clock: Clock;
  readonly #limits: TimeLimits;
  readonly #endsAt: number;
  readonly #leftOfHost = new Map<string, number>();
  #left = 0;

  constructor(clock: Clock, limits: TimeLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#endsAt = clock.elapsed() + limits.deadlineMs;
  }

  /** How much of the batch's time is left. */
  get restMs(): number {
    return Math.max(0, this.#endsAt - this.#clock.elapsed());
  }

  /** One more page of this host is to come. */
  expect(host: string): void {
    this.#left++;
    this.#leftOfHost.set(host, (this.#leftOfHost.get(host) ?? 0) + 1);
  }

  /** One page of this host has come, or never will. */
  settle(host: string): void {
    this.#left--;
    this.#leftOfHost.set(host, (this.#leftOfHost.get(host) ?? 1) - 1);
  }

  /** How long a page of this host may take from now on. */
  pageMs(host: string): number {
    const { perHost, timeoutMs } = this.#limits;
    const ofHost = (this.restMs * perHost) / Math.max(1, this.#leftOfHost.get(host) ?? 1);
    return Math.min(timeoutMs, Math.max(this.#leastMs, Math.min(this.#shareMs, ofHost)));
  }

  /** How long a site's robots.txt may take from now on. */
  get robotsMs(): number {
    return robotsTimeMs(this.#shareMs);
  }

  get #shareMs(): number {
    return (this.restMs * this.#limits.concurrency) / Math.max(1, this.#left);
  }

  /** However many pages there are, a server that works must have time to answer. */
  get #leastMs(): number {
    return Math.max(250, this.#limits.deadlineMs / 30);
  }
}

import type { Clock } from "../../base/index.ts";
import type { PageLimits } from "./page.ts";

/** Time to divide, and the number of concurrent pages. */
export type TimeLimits = Pick<PageLimits, "concurrency" | "perHost" | "timeoutMs" | "deadlineMs">;

const robotsBounds = { min: 1000, max: 10_000 } as const;

/** Maximum time for a robots.txt with this much time remaining: it decides about every page of its site. */
export function robotsTimeMs(ms: number): number {
  return Math.min(robotsBounds.max, Math.max(robotsBounds.min, ms));
}

/**
 * Divides the time of a batch among its pages: each may take as long as would remain for it if every other took as
 * long. So pages that hang cannot use up the time of those that wait for a slot, and the fewer remain, the longer each
 * may take.
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

  /** Remaining time of the batch. */
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

  /** Time that a page of this host may take from now on. */
  pageMs(host: string): number {
    const ofHost = (this.restMs * this.#limits.perHost) / Math.max(1, this.#leftOfHost.get(host) ?? 1);
    return Math.min(this.#limits.timeoutMs, Math.max(this.#minMs, Math.min(this.#shareMs, ofHost)));
  }

  /** Time that a site's robots.txt may take from now on. */
  get robotsMs(): number {
    return robotsTimeMs(this.#shareMs);
  }

  get #shareMs(): number {
    return (this.restMs * this.#limits.concurrency) / Math.max(1, this.#left);
  }

  /** Even with many pages, a working server must have time to respond. */
  get #minMs(): number {
    return Math.max(250, this.#limits.deadlineMs / 30);
  }
}

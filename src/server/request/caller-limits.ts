import { type Clock, LruMap } from "../../base/index.ts";
import type { Caller } from "./caller.ts";
import { tooManyRequests } from "./handler.ts";

/** Limits of the requests of each token. */
export interface CallerLimitOptions {
  /** Default: 1,000. */
  readonly requestsPerSecond?: number;
  /** Requests that are being handled at the same time. An open stream of events does not count. Default: 500. */
  readonly concurrentRequests?: number;
}

interface Usage {
  /** Requests that may be sent at once: those of up to a second. */
  left: number;
  at: number;
  active: number;
}

const maxTokens = 10_000;

/** Limits the requests of each token. */
export class CallerLimits {
  readonly #perSecond: number;
  readonly #concurrent: number;
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #usages = new LruMap<Usage>({ maxEntries: maxTokens });

  constructor(options: CallerLimitOptions = {}, clock: Pick<Clock, "elapsed">) {
    const { requestsPerSecond = 1_000, concurrentRequests = 500 } = options;
    this.#perSecond = requestsPerSecond;
    this.#concurrent = concurrentRequests;
    this.#clock = clock;
  }

  /** Counts a request; returns the function that ends it. Throws a problem if the token sends too many. */
  enter({ tokenId, principal }: Caller): () => void {
    const now = this.#clock.elapsed();
    const usage = this.#usageOf(tokenId, now);
    usage.left = Math.min(this.#perSecond, usage.left + ((now - usage.at) / 1_000) * this.#perSecond);
    usage.at = now;
    if (usage.left < 1) {
      const detail = `the token "${principal}" sends more than ${this.#perSecond} requests per second`;
      throw tooManyRequests(detail, (1 - usage.left) / this.#perSecond);
    }
    if (usage.active >= this.#concurrent)
      throw tooManyRequests(`the token "${principal}" has ${this.#concurrent} requests that have not ended`, 1);
    usage.left--;
    usage.active++;
    return () => void usage.active--;
  }

  #usageOf(tokenId: string, now: number): Usage {
    let usage = this.#usages.get(tokenId);
    if (usage === undefined) this.#usages.set(tokenId, (usage = { left: this.#perSecond, at: now, active: 0 }));
    return usage;
  }
}

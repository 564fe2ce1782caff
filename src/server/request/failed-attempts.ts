import { type Clock, LruMap } from "../../base/index.ts";
import { networkOf } from "../../net/index.ts";

/** Failed attempts of one network. */
interface Failures {
  readonly count: number;
  readonly lastAt: number;
}

/** Failures that cost nothing: a wrong setting is tried a few times. */
const freeFailures = 10;
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
/** Failures are forgotten when there was none for this time. */
const forgetMs = 15 * 60_000;
const maxNetworks = 10_000;

/**
 * Slows down guessing: after some failed attempts from a network, each further one starts a pause, of double length each
 * time, in which nothing that it sends is checked. Retains a limited number of networks, the latest ones.
 */
export class FailedAttempts {
  readonly #failures = new LruMap<Failures>({ maxEntries: maxNetworks });
  readonly #clock: Pick<Clock, "elapsed">;

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /** Milliseconds until the next attempt from this address is checked; 0 if it is checked now. */
  pauseMs(address: string | undefined): number {
    const found = this.#failures.get(networkOf(address));
    if (found === undefined || found.count <= freeFailures) return 0;
    const pause = Math.min(firstPauseMs * 2 ** (found.count - freeFailures - 1), maxPauseMs);
    return Math.max(0, found.lastAt + pause - this.#clock.elapsed());
  }

  failed(address: string | undefined): void {
    const network = networkOf(address);
    const before = this.#failures.get(network);
    const lastAt = this.#clock.elapsed();
    const isRecent = before !== undefined && lastAt - before.lastAt < forgetMs;
    this.#failures.set(network, { count: isRecent ? before.count + 1 : 1, lastAt });
  }
}

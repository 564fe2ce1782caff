import type { Clock, Timer } from "../../base/index.ts";

/** Limits on the concurrency of a batch. */
export interface PoliteLimits {
  /** Pages at once. */
  readonly concurrency: number;
  /** Pages of one host at once. */
  readonly perHost: number;
  /** Between the starts of two pages of one host. */
  readonly hostDelayMs: number;
}

interface Waiter {
  readonly start: () => void;
}

interface Lane {
  readonly waiting: Set<Waiter>;
  active: number;
  /** No request starts before this moment of the clock. */
  notBefore: number;
  delayMs: number;
}

/** Maximum number of idle hosts that are remembered. */
const maxIdleLanes = 2000;

/**
 * Starts work, a few at once, fewer per host and with a pause between two of one host. Hosts take turns, so that many
 * pages of a slow one do not delay the others.
 */
export class PoliteQueue {
  readonly #clock: Clock;
  readonly #limits: PoliteLimits;
  /** By host; whose turn is next comes first. */
  readonly #lanes = new Map<string, Lane>();
  #active = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, limits: PoliteLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Waits for a slot. The returned function releases the slot and must be called. Rejects when the signal aborts. */
  enter(host: string, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const lane = this.#lane(host);
      const quit = (): void => {
        lane.waiting.delete(waiter);
        this.#serve();
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        start: () => {
          signal.removeEventListener("abort", quit);
          resolve(() => this.#leave(lane));
        },
      };
      signal.addEventListener("abort", quit, { once: true });
      lane.waiting.add(waiter);
      this.#serve();
    });
  }

  /** Sets the minimum time between two starts at this host. */
  slowDown(host: string, delayMs: number): void {
    const lane = this.#lane(host);
    if (delayMs <= lane.delayMs) return;
    lane.notBefore = Math.max(lane.notBefore, lane.notBefore - lane.delayMs + delayMs);
    lane.delayMs = delayMs;
  }

  /** Starts no request to this host for `ms` milliseconds. */
  pause(host: string, ms: number): void {
    const lane = this.#lane(host);
    lane.notBefore = Math.max(lane.notBefore, this.#clock.elapsed() + ms);
  }

  #lane(host: string): Lane {
    const found = this.#lanes.get(host);
    if (found !== undefined) return found;
    this.#forgetIdle();
    const lane: Lane = { waiting: new Set(), active: 0, notBefore: 0, delayMs: this.#limits.hostDelayMs };
    this.#lanes.set(host, lane);
    return lane;
  }

  #leave(lane: Lane): void {
    lane.active--;
    this.#active--;
    this.#serve();
  }

  #serve(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const now = this.#clock.elapsed();
    let soonest = Infinity;
    // A host that is served moves to the end and is visited once more.
    for (const [host, lane] of this.#lanes) {
      if (this.#active >= this.#limits.concurrency) return;
      if (lane.waiting.size === 0 || lane.active >= this.#limits.perHost) continue;
      if (lane.notBefore > now) soonest = Math.min(soonest, lane.notBefore);
      else this.#start(host, lane);
    }
    if (soonest < Infinity) this.#timer = this.#clock.after(soonest - now, () => this.#serve());
  }

  /** Starts the one that waited longest. */
  #start(host: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next === undefined) return;
    lane.waiting.delete(next);
    lane.active++;
    this.#active++;
    lane.notBefore = this.#clock.elapsed() + lane.delayMs;
    this.#lanes.delete(host);
    this.#lanes.set(host, lane);
    next.start();
  }

  #forgetIdle(): void {
    if (this.#lanes.size < maxIdleLanes) return;
    const now = this.#clock.elapsed();
    for (const [host, lane] of this.#lanes) {
      if (lane.active === 0 && lane.waiting.size === 0 && lane.notBefore <= now) this.#lanes.delete(host);
    }
  }
}

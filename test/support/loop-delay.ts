import { readFileSync } from "node:fs";

/** Result of some work, and the maximum delay of the event loop during it. */
export interface Delayed<Result> {
  readonly result: Result;
  readonly delayMs: number;
  readonly tookMs: number;
}

/** A measurement above this is repeated. */
const doubtfulMs = 50;

/**
 * Measures by the clock how late the event loop gets while some work is done. Time for which the system ran other
 * programs instead of this one does not count, if the system reports it (Linux); neither do the first two of three
 * measurements if a later one is shorter: chance can only add to the delay.
 */
export async function loopDelay<Result>(work: () => Promise<Result>): Promise<Delayed<Result>> {
  let best = await measure(work);
  for (let tries = 1; tries < 3 && best.delayMs >= doubtfulMs; tries++) {
    const next = await measure(work);
    if (next.delayMs < best.delayMs) best = next;
  }
  return best;
}

async function measure<Result>(work: () => Promise<Result>): Promise<Delayed<Result>> {
  // Leftover work of the test itself does not count.
  await new Promise((resolve) => setTimeout(resolve, 2));
  const began = performance.now();
  let [delayMs, last] = [0, ownTime()];
  const beat = (): void => {
    const now = ownTime();
    delayMs = Math.max(delayMs, now - last);
    last = now;
  };
  const timer = setInterval(beat, 1);
  try {
    const result = await work();
    beat();
    return { result, delayMs, tookMs: performance.now() - began };
  } finally {
    clearInterval(timer);
  }
}

/** The clock, without the time for which this thread was ready to run while another one ran. */
function ownTime(): number {
  const now = performance.now();
  return now - waitedMs();
}

function waitedMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1] ?? 0) / 1e6;
  } catch {
    return 0;
  }
}

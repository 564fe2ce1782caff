import { isBusy } from "./store-failure.ts";

/**
 * SQLite reports "busy" at once if another process is creating the same database: waits and retries. Blocks, so only
 * for worker threads.
 */
export function retryWhileBusy<T>(work: () => T): T {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 1; ; tries++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || tries === 200) throw error;
      Atomics.wait(pause, 0, 0, 20);
    }
  }
}

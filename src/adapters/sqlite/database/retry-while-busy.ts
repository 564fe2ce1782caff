import { isBusy } from "./store-failure.ts";

/** Who opens a new database while another process does is told "busy" at once: wait and try again. For threads only. */
export function patiently<T>(work: () => T): T {
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

import { type Clock, sleep } from "../../base/index.ts";

/** Waits this long, forever if `Infinity`; throws as soon as the signal aborts. */
export async function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms === Infinity) return waitForAbort(signal);
  await sleep(clock, ms, signal);
}

/** Throws as soon as the signal aborts; without a signal, never resolves. */
export async function waitForAbort(signal: AbortSignal | undefined): Promise<never> {
  signal?.throwIfAborted();
  const over = Promise.withResolvers<never>();
  signal?.addEventListener("abort", () => over.reject(signal.reason), { once: true });
  return over.promise;
}

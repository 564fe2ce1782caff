import type { Clock } from "../../base/index.ts";

/** Waits this long, forever if `Infinity`; throws as soon as the signal aborts. */
export async function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms === Infinity) return waitForAbort(signal);
  signal?.throwIfAborted();
  const over = Promise.withResolvers<void>();
  const timer = clock.after(ms, over.resolve);
  const stop = (): void => over.reject(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await over.promise;
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", stop);
  }
}

/** Throws as soon as the signal aborts; without a signal, never resolves. */
export async function waitForAbort(signal: AbortSignal | undefined): Promise<never> {
  signal?.throwIfAborted();
  const over = Promise.withResolvers<never>();
  signal?.addEventListener("abort", () => over.reject(signal.reason), { once: true });
  return over.promise;
}

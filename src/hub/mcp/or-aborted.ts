import { fail } from "../../base/index.ts";

/** What a promise gives, or a failure as soon as the signal is aborted; the work itself goes on. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const give = (): void => aborted.reject(fail("cancelled while waiting", { code: "cancelled", retry: "safe" }));
  signal.addEventListener("abort", give, { once: true });
  if (signal.aborted) give();
  // What nobody waits for any more may fail later; that concerns nobody.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", give);
    aborted.promise.catch(() => undefined);
  }
}

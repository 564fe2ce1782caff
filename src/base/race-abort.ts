/**
 * What the work gives, or what the signal was aborted with, should that come first: for work that may not listen to the
 * signal, and goes on. `why` says something else than the signal's own reason.
 */
export async function orAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  why: () => unknown = () => signal?.reason,
): Promise<T> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const give = (): void => aborted.reject(why());
  signal.addEventListener("abort", give, { once: true });
  if (signal.aborted) give();
  // What is given up may fail later; that concerns nobody.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", give);
    aborted.promise.catch(() => undefined);
  }
}

/** What the work gives, or undefined should the signal be aborted first. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const aborted = Symbol("aborted");
  try {
    return await orAborted(work, signal, () => aborted);
  } catch (error) {
    if (error === aborted) return undefined;
    throw error;
  }
}

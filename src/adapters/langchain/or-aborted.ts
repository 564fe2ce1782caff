/** What the work gives, or what the signal was aborted with, should that come first: some models do not listen to it. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const give = (): void => aborted.reject(signal.reason);
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

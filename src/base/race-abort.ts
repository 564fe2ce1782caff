import type { Clock } from "./clock.ts";

/**
 * Resolves with the result of the work, or rejects with the abort reason if the signal aborts first: for work that may
 * ignore the signal and keep running. `why` replaces the signal's own reason.
 */
export async function raceAbort<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  why: () => unknown = () => signal?.reason,
): Promise<T> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const give = (): void => aborted.reject(why());
  signal.addEventListener("abort", give, { once: true });
  if (signal.aborted) give();
  // Abandoned work may fail later; that error is ignored.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", give);
    aborted.promise.catch(() => undefined);
  }
}

/** Resolves with the result of the work, or with undefined if the signal aborts first. */
export async function raceAbortOrUndefined<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const aborted = Symbol("aborted");
  try {
    return await raceAbort(work, signal, () => aborted);
  } catch (error) {
    if (error === aborted) return undefined;
    throw error;
  }
}

/** Resolves after a time, or rejects with the abort reason if the signal aborts first. */
export async function sleep(clock: Clock, ms: number, signal?: AbortSignal, why?: () => unknown): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(ms, resolve);
  try {
    await raceAbort(promise, signal, why);
  } finally {
    timer.cancel();
  }
}

/** Limits of work: a time and a signal, each with its own abort reason. */
interface WorkLimits {
  readonly clock: Clock;
  readonly ms: number;
  /** The abort reason after this time. */
  readonly late: () => unknown;
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
  /** The abort reason if the caller's signal aborts. Default: its own. */
  readonly cancelled?: () => unknown;
}

/**
 * Runs work with a signal that aborts after a time, or with the caller's signal. The work has to obey it; see
 * {@link raceLimits} for work that may not.
 */
export function withinLimits<T>(limits: WorkLimits, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return limitWork(limits, work, () => {});
}

/** Like {@link withinLimits}, but rejects with the abort reason at once: for work that may ignore its signal. */
export function raceLimits<T>(limits: WorkLimits, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => void limitWork(limits, work, reject).then(resolve, reject));
}

async function limitWork<T>(
  { clock, ms, late, signal, cancelled = () => signal?.reason }: WorkLimits,
  work: (signal: AbortSignal) => Promise<T>,
  onAbort: (reason: unknown) => void,
): Promise<T> {
  const own = new AbortController();
  const stop = (reason: unknown): void => {
    own.abort(reason);
    onAbort(reason);
  };
  const cancel = (): void => stop(cancelled());
  const timer = clock.after(ms, () => stop(late()));
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted === true) cancel();
  try {
    return await work(own.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", cancel);
  }
}

/** True if the promise settles within this time. */
export async function settlesWithin(event: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = clock.after(ms, () => late.resolve(false));
  try {
    return await Promise.race([event.then(() => true), late.promise]);
  } finally {
    timer.cancel();
  }
}

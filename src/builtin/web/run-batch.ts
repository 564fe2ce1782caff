import { type Clock, FailureError, isFailureError, raceAbort, withinLimits, errorMessage } from "../../base/index.ts";
import type { PageRequest } from "./fetch-page.ts";
import { BatchTime, type TimeLimits } from "./batch-time.ts";
import type { PageBatchItem, GetPagesOptions } from "./page.ts";
import type { PoliteQueue } from "./polite-queue.ts";
import { webFailure } from "./web-reasons.ts";

/** Dependencies of a batch. */
export interface Batch<Page> {
  readonly clock: Clock;
  readonly queue: PoliteQueue;
  readonly limits: TimeLimits & {
    /** Maximum delay requested by a host that is waited for. */
    readonly maxWaitMs: number;
  };
  /** Fetches one page. */
  readonly work: (url: string, turn: PageBudget) => Promise<Page>;
}

/** Time budget of a page in a batch. */
export interface PageBudget extends Pick<PageRequest, "signal" | "pageMs" | "robotsMs"> {
  /** Exchanges the slot at one host for a slot at another. */
  readonly onHost: (host: string) => Promise<void>;
}

/** Maximum attempts for a page whose server responds with "later". */
const maxTries = 3;

/**
 * Fetches pages a few at a time and returns one item per address, in order. Pages that are not read before the deadline
 * are aborted and reported as `batch_timeout`. Rejects only when the caller cancels.
 */
export async function runBatch<Page>(
  urls: readonly string[],
  batch: Batch<Page>,
  { signal, onSettled }: Pick<GetPagesOptions, "signal" | "onSettled"> = {},
): Promise<readonly PageBatchItem<Page>[]> {
  const { clock, limits } = batch;
  const late = (): FailureError => notDone(limits.deadlineMs);
  const cancelled = (): FailureError => webFailure("aborted", "the fetching was cancelled", { cause: signal?.reason });
  return withinLimits({ clock, ms: limits.deadlineMs, late, signal, cancelled }, async (either) => {
    const fetchOnce = oncePerUrl(batch, either);
    let settled = 0;
    const items = await Promise.all(
      urls.map(async (url) => {
        const item = await fetchOnce(url);
        onSettled?.(++settled);
        return item;
      }),
    );
    if (signal?.aborted === true) throw either.reason;
    return items;
  });
}

/** Returns a function that fetches a page, and the same address only once. */
function oncePerUrl<Page>(batch: Batch<Page>, signal: AbortSignal): (url: string) => Promise<PageBatchItem<Page>> {
  const time = new BatchTime(batch.clock, batch.limits);
  const pages = new Map<string, Promise<PageBatchItem<Page>>>();
  return (url) => {
    const found = pages.get(url);
    if (found !== undefined) return found;
    // The host whose rate limit applies; an address without a host, such as `memory:42`, never waits.
    const host = URL.parse(url)?.host || url;
    time.expect(host);
    const work = fetchOne(url, batch, { signal, time, host });
    const item = settle(url, work, signal).finally(() => time.settle(host));
    pages.set(url, item);
    return item;
  };
}

function notDone(deadlineMs: number): FailureError {
  return webFailure(
    "batch_timeout",
    `the ${deadlineMs / 1000} s for all pages were over before this one was read; request it again, or fewer at once`,
  );
}

/** Ends with the batch even if the work ignores the signal. */
async function settle<Page>(url: string, work: Promise<Page>, signal: AbortSignal): Promise<PageBatchItem<Page>> {
  try {
    return { url, page: await raceAbort(work, signal) };
  } catch (error) {
    const cause: unknown = signal.aborted ? signal.reason : error;
    return { url, failure: asFailure(cause).toFailure("safe") };
  }
}

function asFailure(error: unknown): FailureError {
  if (isFailureError(error)) return error;
  return new FailureError(errorMessage(error), { cause: error });
}

interface Run {
  readonly signal: AbortSignal;
  readonly time: BatchTime;
  readonly host: string;
}

async function fetchOne<Page>(url: string, batch: Batch<Page>, run: Run): Promise<Page> {
  const { signal, time, host } = run;
  for (let tries = 1; ; tries++) {
    const slot = new QueueSlot(batch.queue, signal);
    const onHost = (next: string): Promise<void> => slot.take(next);
    await onHost(host);
    try {
      return await batch.work(url, { signal, pageMs: () => time.pageMs(host), robotsMs: () => time.robotsMs, onHost });
    } catch (error) {
      const waitMs = tries < maxTries ? retryDelayOf(error, batch, run) : undefined;
      if (waitMs === undefined) throw error;
      batch.queue.pause(slot.host ?? host, waitMs);
    } finally {
      slot.leave();
    }
  }
}

/** The slot of a page in the queue: at one host at a time, and at none while it waits for another. */
class QueueSlot {
  readonly #queue: PoliteQueue;
  readonly #signal: AbortSignal;
  host: string | undefined;
  leave = (): void => {};

  constructor(queue: PoliteQueue, signal: AbortSignal) {
    this.#queue = queue;
    this.#signal = signal;
  }

  async take(host: string): Promise<void> {
    if (host === this.host) return;
    this.leave();
    this.leave = () => {};
    this.leave = await this.#queue.enter(host, this.#signal);
    this.host = host;
  }
}

/** Delay that the server requests, if the time allows it. */
function retryDelayOf<Page>(error: unknown, { limits }: Batch<Page>, { time }: Run): number | undefined {
  if (!isFailureError(error) || error.reason !== "http_status") return undefined;
  const { retryAfterMs } = error.toFailure();
  if (retryAfterMs === undefined || retryAfterMs > limits.maxWaitMs) return undefined;
  return retryAfterMs < time.restMs ? retryAfterMs : undefined;
}

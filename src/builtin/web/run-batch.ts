import { type Clock, FailureError, isFailureError, orAborted } from "../../base/index.ts";
import { BatchTime, type TimeLimits } from "./batch-time.ts";
import type { BatchItem, BatchOptions } from "./page.ts";
import type { PoliteQueue } from "./polite-queue.ts";
import { webFailure } from "./web-reasons.ts";

/** What a batch works with. */
export interface Batch<Page> {
  readonly clock: Clock;
  readonly queue: PoliteQueue;
  readonly limits: TimeLimits & {
    /** A host that asks to wait longer is not waited for. */
    readonly longestWaitMs: number;
  };
  /** Fetches one page. */
  readonly work: (url: string, turn: Turn) => Promise<Page>;
}

/** What a page of a batch may use. */
export interface Turn {
  readonly signal: AbortSignal;
  /** How long the page may take from now on. */
  readonly pageMs: () => number;
  /** How long the site's robots.txt may take from now on. */
  readonly robotsMs: () => number;
  /** Gives up the place at one host for a place at another. */
  readonly onHost: (host: string) => Promise<void>;
}

/** How often a page is asked for when its server says "later". */
const mostTries = 3;

/**
 * Fetches pages a few at a time and gives one item per address, in order. Whatever is not there when the time is up is
 * given up and told as `not_done`. Rejects only when the caller cancels.
 */
export async function runBatch<Page>(
  urls: readonly string[],
  batch: Batch<Page>,
  { signal, onSettled }: Pick<BatchOptions, "signal" | "onSettled"> = {},
): Promise<readonly BatchItem<Page>[]> {
  const run = new AbortController();
  const cancel = (): void => run.abort(webFailure("aborted", "the fetching was cancelled", { cause: signal?.reason }));
  const { deadlineMs } = batch.limits;
  const timer = batch.clock.after(deadlineMs, () => run.abort(notDone(deadlineMs)));
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted === true) cancel();
  const time = new BatchTime(batch.clock, batch.limits);
  let settled = 0;
  // The same address is fetched once.
  const pages = new Map<string, Promise<BatchItem<Page>>>();
  const fetchOnce = (url: string): Promise<BatchItem<Page>> => {
    const found = pages.get(url);
    if (found !== undefined) return found;
    const host = hostOf(url);
    time.expect(host);
    const work = fetchOne(url, batch, { signal: run.signal, time, host });
    const item = settle(url, work, run.signal).finally(() => time.settle(host));
    pages.set(url, item);
    return item;
  };
  try {
    const items = await Promise.all(
      urls.map(async (url) => {
        const item = await fetchOnce(url);
        onSettled?.(++settled);
        return item;
      }),
    );
    if (signal?.aborted === true) throw run.signal.reason;
    return items;
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", cancel);
  }
}

function notDone(deadlineMs: number): FailureError {
  return webFailure(
    "not_done",
    `the ${deadlineMs / 1000} s for all pages were up before this one was there; ask for it again, or for fewer at once`,
  );
}

/** Ends with the batch even where the work does not listen. */
async function settle<Page>(url: string, work: Promise<Page>, signal: AbortSignal): Promise<BatchItem<Page>> {
  try {
    return { url, page: await orAborted(work, signal) };
  } catch (error) {
    const cause: unknown = signal.aborted ? signal.reason : error;
    return { url, failure: asFailure(cause).toFailure("safe") };
  }
}

function asFailure(error: unknown): FailureError {
  if (isFailureError(error)) return error;
  return new FailureError(error instanceof Error ? error.message : String(error), { cause: error });
}

interface Run {
  readonly signal: AbortSignal;
  readonly time: BatchTime;
  readonly host: string;
}

async function fetchOne<Page>(url: string, batch: Batch<Page>, run: Run): Promise<Page> {
  const { signal, time, host } = run;
  for (let tries = 1; ; tries++) {
    const place = new Place(batch.queue, signal);
    const onHost = (next: string): Promise<void> => place.take(next);
    await onHost(host);
    try {
      return await batch.work(url, { signal, pageMs: () => time.pageMs(host), robotsMs: () => time.robotsMs, onHost });
    } catch (error) {
      const waitMs = tries < mostTries ? waitAsked(error, batch, run) : undefined;
      if (waitMs === undefined) throw error;
      batch.queue.pause(place.host ?? host, waitMs);
    } finally {
      place.leave();
    }
  }
}

/** The place of a page in the queue: at one host at a time, and at none while it waits for another. */
class Place {
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

/** How long the server asks to wait, where there is time for it. */
function waitAsked<Page>(error: unknown, { limits }: Batch<Page>, { time }: Run): number | undefined {
  if (!isFailureError(error) || error.reason !== "http_status") return undefined;
  const { retryAfterMs } = error.toFailure();
  if (retryAfterMs === undefined || retryAfterMs > limits.longestWaitMs) return undefined;
  return retryAfterMs < time.restMs ? retryAfterMs : undefined;
}

/** Whose politeness an address asks for; one that leads to no host, such as `memory:42`, waits for nobody. */
function hostOf(url: string): string {
  return URL.parse(url)?.host || url;
}

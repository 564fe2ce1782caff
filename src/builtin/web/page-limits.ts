import type { PoliteLimits } from "./polite-queue.ts";

/** Limits on the amount and rate of fetching. */
export interface PageLimits extends PoliteLimits {
  /** Maximum decoded bytes of a page. */
  readonly maxBytes: number;
  /** For one page, the site's robots.txt, redirects and body included; in a batch it may be less, never more. */
  readonly timeoutMs: number;
  /** For a whole batch. */
  readonly deadlineMs: number;
  /** Maximum delay, by `Retry-After` or `Crawl-delay`, that is waited for. */
  readonly maxWaitMs: number;
}

/** Default limits. */
export const defaultPageLimits: PageLimits = {
  maxBytes: 5 * 2 ** 20,
  timeoutMs: 20_000,
  deadlineMs: 60_000,
  maxWaitMs: 10_000,
  concurrency: 16,
  perHost: 2,
  hostDelayMs: 100,
};

/** Time for extracting the text, which has a hard limit of its own. */
const readingMs = 5000;

/** Time for a call that fetches and reads this long; a site that used it up is not retried within it. */
export function callTimeMs(fetchingMs: number): number {
  return fetchingMs + readingMs;
}

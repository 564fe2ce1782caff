import type { PoliteLimits } from "./polite-queue.ts";

/** How much is fetched, and how fast. */
export interface PageLimits extends PoliteLimits {
  /** The most decoded bytes of a page. */
  readonly maxBytes: number;
  /** For one page, the site's robots.txt, redirects and body included; in a batch it may be less, never more. */
  readonly timeoutMs: number;
  /** For a whole batch. */
  readonly deadlineMs: number;
  /** A host that asks to wait longer than this, by `Retry-After` or `Crawl-delay`, is not waited for. */
  readonly longestWaitMs: number;
}

/** The limits where a workspace sets none. */
export const usualLimits: PageLimits = {
  maxBytes: 5 * 2 ** 20,
  timeoutMs: 20_000,
  deadlineMs: 60_000,
  longestWaitMs: 10_000,
  concurrency: 16,
  perHost: 2,
  hostDelayMs: 100,
};

/** For reading what was fetched, which has a hard stop of its own. */
const readingMs = 5000;

/** Time for a call that fetches and reads so long; whoever used it up is not asked again within it. */
export function callTimeMs(fetchingMs: number): number {
  return fetchingMs + readingMs;
}

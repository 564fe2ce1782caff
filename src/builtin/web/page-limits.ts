import type { PoliteLimits } from "./polite-queue.ts";

/** How much is fetched, and how fast. */
export interface PageLimits extends PoliteLimits {
  /** The most decoded bytes of a page. */
  readonly maxBytes: number;
  /** For one page, redirects and body included. */
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

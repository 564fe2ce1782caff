import type { Failure } from "../../base/index.ts";
import type { ExtractForm, ExtractedDocument } from "../extract/index.ts";
import type { PoliteLimits } from "./polite-queue.ts";

/** A page as its server sent it. */
export interface FetchedPage {
  /** The requested address. */
  readonly url: string;
  /** Final address, after redirects. */
  readonly finalUrl: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** The body was longer than the limit and was cut. */
  readonly truncated: boolean;
  /** The page comes from the cache, without a request or after a revalidation. */
  readonly fromCache: boolean;
  /** When the body was last known to be current, in epoch milliseconds. */
  readonly fetchedAt: number;
  /** The title of local content, such as a memory. */
  readonly title?: string;
}

/** A page with its extracted text. */
export interface ReadPage extends Omit<FetchedPage, "body" | "title">, Omit<ExtractedDocument, "truncated"> {}

/** One page of a batch, or the reason why it could not be read. */
export type PageBatchItem<Page> =
  | { readonly url: string; readonly page: Page; readonly failure?: undefined }
  | { readonly url: string; readonly failure: Failure; readonly page?: undefined };

/** Options of getting one page. */
export interface GetPageOptions {
  readonly signal?: AbortSignal;
  /** A longer body is cut here. Default: the limit of the service. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

/** Options of reading one page. */
export interface ReadPageOptions extends GetPageOptions {
  readonly as?: ExtractForm;
  readonly maxChars?: number;
}

/** Options of getting many pages. */
export interface GetPagesOptions {
  readonly signal?: AbortSignal;
  /** A longer body is a failure: in a batch a cut page would go unnoticed. */
  readonly maxBytes?: number;
  /** For one page. */
  readonly timeoutMs?: number;
  /** Deadline for all pages; those not read by then fail with `batch_timeout`. */
  readonly deadlineMs?: number;
  /** Called whenever one more page is settled. */
  readonly onSettled?: (settled: number) => void;
}

/** Options of reading many pages. */
export interface ReadPagesOptions extends GetPagesOptions {
  readonly as?: ExtractForm;
  readonly maxChars?: number;
}

/** Resolves an address such as `memory:42`; returns undefined if it is unknown. */
export type AddressResolver = (
  address: string,
  signal: AbortSignal,
) => Promise<{ readonly title: string; readonly text: string } | undefined>;

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

import { type Clock, isFailureError, systemClock, definedOnly } from "../../base/index.ts";
import type { HttpClient } from "../../net/index.ts";
import { type PageCache, createInMemoryPageCache } from "../../store/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { DocumentOptions, ExtractedDocument, Extractor } from "../extract/index.ts";
import { robotsTimeMs } from "./batch-time.ts";
import { type FetchDeps, type PageRequest, fetchPage } from "./fetch-page.ts";
import {
  type AddressResolver,
  type PageBatchItem,
  type GetPagesOptions,
  type FetchedPage,
  type GetPageOptions,
  type ReadPagesOptions,
  type ReadPageOptions,
  type ReadPage,
  type PageLimits,
  callTimeMs,
  defaultPageLimits,
} from "./page.ts";
import { PoliteQueue } from "./polite-queue.ts";
import { RobotsFiles } from "./robots-files.ts";
import { webTable } from "./web-table.ts";
import { type PageBudget, runBatch } from "./run-batch.ts";
import { webFailure } from "./web-reasons.ts";

/** Options of {@link createPageReader}. */
export interface PageReaderOptions {
  readonly http: HttpClient;
  /** Extracts the text of a page. Default: the shared extractor. */
  readonly extractor?: Pick<Extractor, "document">;
  /** Cache of pages. Default: in memory. */
  readonly cache?: PageCache;
  /** Resolvers by scheme, for addresses such as `memory:42`. */
  readonly resolvers?: Readonly<Record<string, AddressResolver>>;
  /** Default: `respect`. */
  readonly robots?: "respect" | "ignore";
  /** `User-Agent` header; its first word selects the group of a robots.txt. Default: `windlass`. */
  readonly userAgent?: string;
  readonly limits?: Partial<PageLimits>;
  readonly clock?: Clock;
}

/** Fetches pages and reads them, one or many. */
export interface PageReader {
  readonly limits: PageLimits;
  /** One page as its server sent it. */
  get(url: string, options?: GetPageOptions): Promise<FetchedPage>;
  /** One page with its extracted text. */
  read(url: string, options?: ReadPageOptions): Promise<ReadPage>;
  /** Many pages, in order, each there or with the reason why not. */
  getAll(urls: readonly string[], options?: GetPagesOptions): Promise<readonly PageBatchItem<FetchedPage>[]>;
  /** Many pages with their extracted texts, in order, each with a page or the reason of its failure. */
  readAll(urls: readonly string[], options?: ReadPagesOptions): Promise<readonly PageBatchItem<ReadPage>[]>;
}

/**
 * Fetches pages through the HTTP client: redirects, charsets, a cache with revalidation, robots.txt respected, and
 * batches with few requests at a time per host.
 *
 * @example
 * ```ts
 * const pages = createPageReader({ http: createHttpClient() });
 * const { title, markdown } = await pages.read("https://example.com/");
 * ```
 */
export function createPageReader(options: PageReaderOptions): PageReader {
  return new WebPages(options);
}

type PageOptions = Pick<GetPageOptions, "signal" | "maxBytes"> &
  Pick<PageRequest, "pageMs" | "robotsMs" | "onRules" | "onHost">;

class WebPages implements PageReader {
  readonly limits: PageLimits;
  readonly #world: FetchDeps;
  readonly #queue: PoliteQueue;
  readonly #extractor: Pick<Extractor, "document"> | undefined;

  constructor(options: PageReaderOptions) {
    const { http, clock = systemClock, userAgent = "windlass", robots = webTable.robots.default } = options;
    this.limits = { ...defaultPageLimits, ...options.limits };
    this.#extractor = options.extractor;
    this.#queue = new PoliteQueue(clock, this.limits);
    // The product's name at the beginning of a `User-Agent`.
    const agent = /^[a-z_-]+/i.exec(userAgent)?.[0] ?? "windlass";
    const restMs = Math.max(30_000, callTimeMs(this.limits.timeoutMs));
    this.#world = {
      http,
      clock,
      userAgent,
      cache: options.cache ?? createInMemoryPageCache(),
      robots: robots === "ignore" ? undefined : new RobotsFiles({ http, clock, userAgent, agent, restMs }),
      resolvers: new Map(Object.entries(options.resolvers ?? {})),
    };
  }

  async get(url: string, options: GetPageOptions = {}): Promise<FetchedPage> {
    const { timeoutMs = this.limits.timeoutMs } = options;
    const { clock } = this.#world;
    const endsAt = clock.elapsed() + timeoutMs;
    const pageMs = (): number => Math.max(1, endsAt - clock.elapsed());
    try {
      return await this.#get(url, {
        ...options,
        pageMs,
        robotsMs: () => robotsTimeMs(Math.min(pageMs(), timeoutMs / 2)),
      });
    } catch (error) {
      throw isLate(error) ? tooSlow(timeoutMs, error) : error;
    }
  }

  async read(url: string, options: ReadPageOptions = {}): Promise<ReadPage> {
    return this.#read(await this.get(url, options), options);
  }

  getAll(urls: readonly string[], options: GetPagesOptions = {}): Promise<readonly PageBatchItem<FetchedPage>[]> {
    return this.#batch(urls, options, (url, turn) => this.#getOfBatch(url, { ...options, ...turn }));
  }

  readAll(urls: readonly string[], options: ReadPagesOptions = {}): Promise<readonly PageBatchItem<ReadPage>[]> {
    return this.#batch(urls, options, async (url, turn) => {
      const own = { ...options, ...turn };
      return this.#read(await this.#getOfBatch(url, own), own);
    });
  }

  #batch<Page>(
    urls: readonly string[],
    options: GetPagesOptions,
    work: (url: string, turn: PageBudget) => Promise<Page>,
  ): Promise<readonly PageBatchItem<Page>[]> {
    const { deadlineMs = this.limits.deadlineMs, timeoutMs = this.limits.timeoutMs } = options;
    const limits = { ...this.limits, deadlineMs, timeoutMs };
    return runBatch(urls, { clock: this.#world.clock, queue: this.#queue, limits, work }, options);
  }

  #get(url: string, options: PageOptions): Promise<FetchedPage> {
    const { maxBytes = this.limits.maxBytes, signal = new AbortController().signal, ...rest } = options;
    return fetchPage({ ...rest, url, signal, maxBytes }, this.#world);
  }

  async #getOfBatch(url: string, options: PageOptions): Promise<FetchedPage> {
    const { maxBytes = this.limits.maxBytes } = options;
    const onRules: PageRequest["onRules"] = ({ delayMs }, host) => {
      if (delayMs !== undefined) this.#queue.slowDown(host, Math.min(delayMs, this.limits.maxWaitMs));
    };
    let inputMs = 0;
    const pageMs = (): number => (inputMs = options.pageMs());
    const page = await this.#get(url, { ...options, pageMs, onRules }).catch((error: unknown) => {
      throw isLate(error) ? tooSlowForBatch(inputMs, error) : error;
    });
    if (!page.truncated) return page;
    throw webFailure(
      "page_too_large",
      `the page is larger than ${maxBytes} bytes; fetch it alone to read its beginning`,
    );
  }

  async #read({ body, title, ...facts }: FetchedPage, { as, maxChars, signal }: ReadPageOptions): Promise<ReadPage> {
    const options = {
      contentType: facts.contentType,
      isPart: facts.truncated,
      // Links in local content are not relative to its address.
      ...(/^https?:/i.test(facts.finalUrl) && { url: facts.finalUrl }),
      ...definedOnly({ as, maxChars, signal }),
    };
    const found = await (this.#extractor?.document(body, options) ?? extractShared(body, options));
    // An empty body is an empty page; a page without text hides its content.
    if (body.length > 0 && lacksText(found, as)) throw noText();
    return {
      ...facts,
      ...found,
      title: title === undefined ? found.title : stripUnsafe(title),
      truncated: facts.truncated || found.truncated,
    };
  }
}

function lacksText({ text, markdown }: ExtractedDocument, as: ReadPageOptions["as"]): boolean {
  return (as === "text" && text.trim() === "") || (as === "markdown" && markdown.trim() === "");
}

function noText(): Error {
  const why = "the page contains no text; it may be rendered by scripts, which are not run here";
  return webFailure("no_text", `${why}. Use another source`);
}

/** True if the HTTP client timed out. */
function isLate(error: unknown): boolean {
  return isFailureError(error) && error.reason === "timeout";
}

function tooSlow(timeoutMs: number, cause: unknown): Error {
  const message = `the page did not load within ${inSeconds(timeoutMs)}; try again later, or use another source`;
  return webFailure("timeout", message, { retryAfterMs: callTimeMs(timeoutMs), cause });
}

function tooSlowForBatch(inputMs: number, cause: unknown): Error {
  const share = `its share of the time for all pages (${inSeconds(inputMs)})`;
  return webFailure("timeout", `the page did not load within ${share}; fetch it alone to give it more time`, { cause });
}

function inSeconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

async function extractShared(body: Uint8Array, options: DocumentOptions): Promise<ExtractedDocument> {
  const { extractDocument } = await import("../extract/index.ts");
  return extractDocument(body, options);
}

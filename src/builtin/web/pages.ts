import { type Clock, systemClock } from "../../base/index.ts";
import type { Door } from "../../net/index.ts";
import { type PageCache, createMemoryPages } from "../../store/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { DocumentOptions, ExtractedDocument, Extractor } from "../extract/index.ts";
import { type FetchWorld, type PageRequest, fetchPage } from "./fetch-page.ts";
import type {
  AddressResolver,
  BatchItem,
  BatchOptions,
  FetchedPage,
  GetOptions,
  ReadAllOptions,
  ReadOptions,
  ReadPage,
} from "./page.ts";
import { type PageLimits, usualLimits } from "./page-limits.ts";
import { PoliteQueue } from "./polite-queue.ts";
import { RobotsFiles } from "./robots-files.ts";
import { runBatch } from "./run-batch.ts";
import { webFailure } from "./web-reasons.ts";

/** What {@link createPages} takes. */
export interface PagesOptions {
  readonly door: Door;
  /** Reads what was fetched; the one that everybody shares where absent. */
  readonly extractor?: Pick<Extractor, "document">;
  /** Pages kept for the next time; in memory where absent. */
  readonly cache?: PageCache;
  /** By scheme: what stands behind addresses such as `memory:42`. */
  readonly resolvers?: Readonly<Record<string, AddressResolver>>;
  /** `respect` where absent. */
  readonly robots?: "respect" | "ignore";
  /** What servers are told; a robots.txt may speak to its first word. `windlass` where absent. */
  readonly userAgent?: string;
  readonly limits?: Partial<PageLimits>;
  readonly clock?: Clock;
}

/** Fetches pages and reads them, one or many. */
export interface Pages {
  readonly limits: PageLimits;
  /** One page as its server sent it. */
  get(url: string, options?: GetOptions): Promise<FetchedPage>;
  /** One page and what it says. */
  read(url: string, options?: ReadOptions): Promise<ReadPage>;
  /** Many pages, in order, each there or with the reason why not. */
  getAll(urls: readonly string[], options?: BatchOptions): Promise<readonly BatchItem<FetchedPage>[]>;
  /** Many pages and what they say, in order, each there or with the reason why not. */
  readAll(urls: readonly string[], options?: ReadAllOptions): Promise<readonly BatchItem<ReadPage>[]>;
}

/**
 * Fetches pages through the door: redirects, charsets, a cache that asks whether a page changed, robots.txt respected,
 * and batches that are polite to every host.
 *
 * @example
 * ```ts
 * const pages = createPages({ door: createDoor() });
 * const { title, markdown } = await pages.read("https://example.com/");
 * ```
 */
export function createPages(options: PagesOptions): Pages {
  return new WebPages(options);
}

class WebPages implements Pages {
  readonly limits: PageLimits;
  readonly #world: FetchWorld;
  readonly #queue: PoliteQueue;
  readonly #extractor: Pick<Extractor, "document"> | undefined;

  constructor(options: PagesOptions) {
    const { door, clock = systemClock, userAgent = "windlass", robots = "respect" } = options;
    this.limits = { ...usualLimits, ...options.limits };
    this.#extractor = options.extractor;
    this.#queue = new PoliteQueue(clock, this.limits);
    const agent = nameIn(userAgent);
    const timeoutMs = Math.min(10_000, this.limits.timeoutMs);
    this.#world = {
      door,
      clock,
      userAgent,
      cache: options.cache ?? createMemoryPages(),
      robots: robots === "ignore" ? undefined : new RobotsFiles({ door, clock, userAgent, agent, timeoutMs }),
      resolvers: new Map(Object.entries(options.resolvers ?? {})),
    };
  }

  get(url: string, options: GetOptions = {}): Promise<FetchedPage> {
    return this.#get(url, options);
  }

  async read(url: string, options: ReadOptions = {}): Promise<ReadPage> {
    return this.#read(await this.#get(url, options), options);
  }

  getAll(urls: readonly string[], options: BatchOptions = {}): Promise<readonly BatchItem<FetchedPage>[]> {
    return this.#batch(urls, options, (url, signal) => this.#getOfBatch(url, { ...options, signal }));
  }

  readAll(urls: readonly string[], options: ReadAllOptions = {}): Promise<readonly BatchItem<ReadPage>[]> {
    return this.#batch(urls, options, async (url, signal) => {
      const own = { ...options, signal };
      return this.#read(await this.#getOfBatch(url, own), own);
    });
  }

  #batch<Page>(
    urls: readonly string[],
    options: BatchOptions,
    work: (url: string, signal: AbortSignal) => Promise<Page>,
  ): Promise<readonly BatchItem<Page>[]> {
    const { deadlineMs = this.limits.deadlineMs } = options;
    const { longestWaitMs } = this.limits;
    const { clock } = this.#world;
    return runBatch(urls, { clock, queue: this.#queue, deadlineMs, longestWaitMs, work }, options);
  }

  #get(url: string, options: GetOptions, onRules?: PageRequest["onRules"]): Promise<FetchedPage> {
    const { maxBytes = this.limits.maxBytes, timeoutMs = this.limits.timeoutMs } = options;
    const signal = options.signal ?? new AbortController().signal;
    return fetchPage({ url, signal, maxBytes, timeoutMs, ...(onRules !== undefined && { onRules }) }, this.#world);
  }

  async #getOfBatch(url: string, options: GetOptions): Promise<FetchedPage> {
    const page = await this.#get(url, options, ({ delayMs }, host) => {
      if (delayMs !== undefined) this.#queue.slowDown(host, Math.min(delayMs, this.limits.longestWaitMs));
    });
    if (!page.truncated) return page;
    const { maxBytes = this.limits.maxBytes } = options;
    throw webFailure(
      "page_too_large",
      `the page is larger than ${maxBytes} bytes; fetch it alone to read its beginning`,
    );
  }

  async #read(page: FetchedPage, { as, maxChars, signal }: ReadOptions): Promise<ReadPage> {
    const { body, title, ...facts } = page;
    const options = {
      contentType: facts.contentType,
      // Links of what is kept here are not relative to its address.
      ...(/^https?:/i.test(facts.finalUrl) && { url: facts.finalUrl }),
      ...(as !== undefined && { as }),
      ...(maxChars !== undefined && { maxChars }),
      ...(signal !== undefined && { signal }),
    };
    const found = await (this.#extractor?.document(body, options) ?? extractShared(body, options));
    return {
      ...facts,
      ...found,
      title: title === undefined ? found.title : stripUnsafe(title),
      truncated: facts.truncated || found.truncated,
    };
  }
}

async function extractShared(body: Uint8Array, options: DocumentOptions): Promise<ExtractedDocument> {
  const { extractDocument } = await import("../extract/index.ts");
  return extractDocument(body, options);
}

/** The product's name at the beginning of a `User-Agent`. */
function nameIn(userAgent: string): string {
  return /^[a-z_-]+/i.exec(userAgent)?.[0] ?? "windlass";
}

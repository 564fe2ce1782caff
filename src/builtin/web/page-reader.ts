import { type Clock, isFailureError, systemClock } from "../../base/index.ts";
import type { Door } from "../../net/index.ts";
import { type PageCache, createMemoryPages } from "../../store/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { DocumentOptions, ExtractedDocument, Extractor } from "../extract/index.ts";
import { robotsTimeMs } from "./batch-time.ts";
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
import { type PageLimits, callTimeMs, usualLimits } from "./page-limits.ts";
import { PoliteQueue } from "./polite-queue.ts";
import { RobotsFiles } from "./robots-files.ts";
import { type Turn, runBatch } from "./run-batch.ts";
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

type PageOptions = Pick<GetOptions, "signal" | "maxBytes"> &
  Pick<PageRequest, "pageMs" | "robotsMs" | "onRules" | "onHost">;

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
    const restMs = Math.max(30_000, callTimeMs(this.limits.timeoutMs));
    this.#world = {
      door,
      clock,
      userAgent,
      cache: options.cache ?? createMemoryPages(),
      robots: robots === "ignore" ? undefined : new RobotsFiles({ door, clock, userAgent, agent, restMs }),
      resolvers: new Map(Object.entries(options.resolvers ?? {})),
    };
  }

  async get(url: string, options: GetOptions = {}): Promise<FetchedPage> {
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

  async read(url: string, options: ReadOptions = {}): Promise<ReadPage> {
    return this.#read(await this.get(url, options), options);
  }

  getAll(urls: readonly string[], options: BatchOptions = {}): Promise<readonly BatchItem<FetchedPage>[]> {
    return this.#batch(urls, options, (url, turn) => this.#getOfBatch(url, { ...options, ...turn }));
  }

  readAll(urls: readonly string[], options: ReadAllOptions = {}): Promise<readonly BatchItem<ReadPage>[]> {
    return this.#batch(urls, options, async (url, turn) => {
      const own = { ...options, ...turn };
      return this.#read(await this.#getOfBatch(url, own), own);
    });
  }

  #batch<Page>(
    urls: readonly string[],
    options: BatchOptions,
    work: (url: string, turn: Turn) => Promise<Page>,
  ): Promise<readonly BatchItem<Page>[]> {
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
      if (delayMs !== undefined) this.#queue.slowDown(host, Math.min(delayMs, this.limits.longestWaitMs));
    };
    let givenMs = 0;
    const pageMs = (): number => (givenMs = options.pageMs());
    const page = await this.#get(url, { ...options, pageMs, onRules }).catch((error: unknown) => {
      throw isLate(error) ? tooSlowForBatch(givenMs, error) : error;
    });
    if (!page.truncated) return page;
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
    // A server that sends nothing says that there is nothing; one that sends a page without text withholds it.
    if (body.length > 0 && lacksText(found, as)) throw noText();
    return {
      ...facts,
      ...found,
      title: title === undefined ? found.title : stripUnsafe(title),
      truncated: facts.truncated || found.truncated,
    };
  }
}

function lacksText({ text, markdown }: ExtractedDocument, as: ReadOptions["as"]): boolean {
  return (as === "text" && text.trim() === "") || (as === "markdown" && markdown.trim() === "");
}

function noText(): Error {
  const why = "the page holds no text; it may be drawn by scripts, which are not run here";
  return webFailure("no_text", `${why}. Use another source`);
}

/** Did the door wait for it as long as it was told to? */
function isLate(error: unknown): boolean {
  return isFailureError(error) && error.reason === "timeout";
}

function tooSlow(timeoutMs: number, cause: unknown): Error {
  const message = `the page was not there within ${inSeconds(timeoutMs)}; try again later, or use another source`;
  return webFailure("timeout", message, { retryAfterMs: callTimeMs(timeoutMs), cause });
}

function tooSlowForBatch(givenMs: number, cause: unknown): Error {
  const share = `its share of the time for all pages (${inSeconds(givenMs)})`;
  return webFailure("timeout", `the page was not there within ${share}; fetch it alone to give it more`, { cause });
}

function inSeconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

async function extractShared(body: Uint8Array, options: DocumentOptions): Promise<ExtractedDocument> {
  const { extractDocument } = await import("../extract/index.ts");
  return extractDocument(body, options);
}

/** The product's name at the beginning of a `User-Agent`. */
function nameIn(userAgent: string): string {
  return /^[a-z_-]+/i.exec(userAgent)?.[0] ?? "windlass";
}

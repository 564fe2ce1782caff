import { type Clock, systemClock } from "../../base/index.ts";
import { contentKind, mediaType } from "./content-kind.ts";
import { throwIfAborted, unreadable } from "./extract-reasons.ts";
import { type ExtractOptions, type ExtractedPage, maxCharsOf } from "./extracted-page.ts";
import { PageThread } from "./page-thread.ts";
import { type DocumentJob, type ExtractedDocument, type ReadServices, readDocument } from "./read-document.ts";
import { workerUrl } from "./worker-url.ts";

/** How an {@link Extractor} works. */
export interface ExtractorOptions {
  readonly clock?: Clock;
  /** How long reading one document may take; then only its text is read. Default 3 s. */
  readonly limitMs?: number;
  /** How long the thread waits for another document before it ends. Default 15 s. */
  readonly idleMs?: number;
  /** How many documents may wait for the thread; of those beyond, only the text is read. Default 64. */
  readonly maxWaiting?: number;
}

/** How to read a document of any type. */
export interface DocumentOptions extends ExtractOptions {
  /** The content type that came with it. */
  readonly contentType?: string;
}

/** Reads pages and other documents. */
export interface Extractor {
  /** The content of a page of HTML. */
  page(html: string, options?: ExtractOptions): Promise<ExtractedPage>;
  /** The content of a document of any type that holds text: HTML, feeds and other XML, JSON, Markdown, plain text. */
  document(bytes: Uint8Array, options?: DocumentOptions): Promise<ExtractedDocument>;
  /** Ends the thread. What is being read is read without it; nothing more is read. */
  close(): Promise<void>;
}

/** What is no HTML and no longer than this is read at once: a thread would take longer to start. */
const smallBytes = 32_768;

/**
 * Makes an extractor with a thread of its own, which starts with the first page or large document: whatever a document
 * is, reading it does not hold the event loop.
 *
 * @example
 * ```ts
 * const extractor = createExtractor();
 * const { title, markdown } = await extractor.page("<title>Tides</title><p>Twice a day.</p>");
 * await extractor.close();
 * ```
 */
export function createExtractor({
  clock = systemClock,
  limitMs = 3000,
  idleMs = 15_000,
  maxWaiting = 64,
}: ExtractorOptions = {}): Extractor {
  const thread = new PageThread({ url: workerUrl(), clock, limitMs, idleMs, maxWaiting });
  let closed = false;
  return {
    async page(html, options = {}) {
      checkOpen(options.signal);
      const { charset: _, charsetSource: __, ...page } = await read(pageJob(html), options);
      return { ...page, truncated: page.truncated || html.length > longestPage };
    },
    async document(bytes, options = {}) {
      checkOpen(options.signal);
      const kind = contentKind(options.contentType, bytes, options.url);
      if (kind === "unsupported") throw unreadable("unsupported_type", unsupported(options.contentType));
      return read({ kind, body: bytes, contentType: options.contentType ?? "" }, options);
    },
    async close() {
      closed = true;
      await thread.close();
    },
  };

  function checkOpen(signal: AbortSignal | undefined): void {
    if (closed) throw unreadable("closed", "the extractor is closed. Make another to read more");
    throwIfAborted(signal);
  }

  async function read(document: DocumentJob, { signal, ...options }: ExtractOptions): Promise<ExtractedDocument> {
    const job = { ...options, ...document };
    if (job.kind !== "html" && job.body.length <= smallBytes) return readDocument(job, { signal, clock });
    const found = await thread.read(job, signal);
    throwIfAborted(signal);
    return found ?? readWithoutThread(job, { signal, clock });
  }
}

/** More than this of a page is not looked at. */
const longestPage = 20_000_000;

function pageJob(html: string): DocumentJob {
  const body = new TextEncoder().encode(html.slice(0, longestPage));
  return { kind: "html", body, contentType: "text/html; charset=utf-8" };
}

/** The text of a document, a little at a time or as it is. */
async function readWithoutThread(job: DocumentJob, services: ReadServices): Promise<ExtractedDocument> {
  if (job.kind === "html" || job.kind === "markup") return readDocument(job, services);
  // No character has more than four bytes.
  const body = job.body.subarray(0, 4 * (maxCharsOf(job) + 1));
  const document = await readDocument({ ...job, kind: "text", body }, services);
  return { ...document, kind: job.kind };
}

function unsupported(contentType: string | undefined): string {
  const type = mediaType(contentType);
  const named = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? `a document of type ${type}` : "a binary document";
  return `${named} has no text that can be read here. Look for an HTML, Markdown or plain-text version of it`;
}

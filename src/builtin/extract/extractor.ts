import { type Clock, systemClock } from "../../base/index.ts";
import { contentKind, mediaType } from "./content-kind.ts";
import { throwIfAborted, extractFailure } from "./extract-reasons.ts";
import { type ExtractOptions, type ExtractedPage, maxCharsOf } from "./extracted-page.ts";
import { PageThread } from "./page-thread.ts";
import { type DocumentJob, type ExtractedDocument, type ReadServices, readDocument } from "./read-document.ts";

/** Options of an {@link Extractor}. */
export interface ExtractorOptions {
  readonly clock?: Clock;
  /** Time limit for one document; after that only its text is read. Default: 3 s. */
  readonly limitMs?: number;
  /** Time that the thread waits for another document before it ends. Default: 15 s. */
  readonly idleMs?: number;
  /** Maximum number of documents that wait for the thread; of further ones only the text is read. Default: 64. */
  readonly maxWaiting?: number;
}

/** Options for reading a document of any type. */
export interface DocumentOptions extends ExtractOptions {
  /** The content type of its response header. */
  readonly contentType?: string;
  /** The bytes are only the beginning of the document. */
  readonly isPart?: boolean;
}

/** Reads pages and other documents. */
export interface Extractor {
  /** Extracts the content of an HTML page. */
  page(html: string, options?: ExtractOptions): Promise<ExtractedPage>;
  /**
   * Extracts the content of a document of any type that contains text: HTML, feeds and other XML, JSON, Markdown, plain
   * text.
   */
  document(bytes: Uint8Array, options?: DocumentOptions): Promise<ExtractedDocument>;
  /** Ends the thread. Documents in progress are read without it; no further documents are accepted. */
  close(): Promise<void>;
}

/** Documents up to this size that are not HTML are read synchronously: starting a thread would take longer. */
const smallBytes = 32_768;

/**
 * Creates an extractor with its own thread, which starts with the first page or large document: reading a document never
 * blocks the event loop.
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
      return { ...page, truncated: page.truncated || html.length > maxPageLength };
    },
    async document(bytes, options = {}) {
      checkOpen(options.signal);
      const kind = contentKind(options.contentType, bytes, options.url);
      if (kind === "unsupported") throw extractFailure("unsupported_type", unsupported(bytes, options));
      return read({ kind, body: bytes, contentType: options.contentType ?? "" }, options);
    },
    async close() {
      closed = true;
      await thread.close();
    },
  };

  function checkOpen(signal: AbortSignal | undefined): void {
    if (closed) throw extractFailure("closed", "the extractor is closed. Create another to read more");
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

/** Longer pages are truncated. */
const maxPageLength = 20_000_000;

function pageJob(html: string): DocumentJob {
  const body = new TextEncoder().encode(html.slice(0, maxPageLength));
  return { kind: "html", body, contentType: "text/html; charset=utf-8" };
}

/** Reads the text of a document, in slices or as it is. */
async function readWithoutThread(job: DocumentJob, services: ReadServices): Promise<ExtractedDocument> {
  if (job.kind === "html" || job.kind === "markup") return readDocument(job, services);
  // No character has more than four bytes.
  const body = job.body.subarray(0, 4 * (maxCharsOf(job) + 1));
  const document = await readDocument({ ...job, kind: "text", body }, services);
  return { ...document, kind: job.kind };
}

function unsupported({ length }: Uint8Array, { contentType, isPart }: DocumentOptions): string {
  const type = mediaType(contentType);
  const named = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? `a document of type ${type}` : "a binary document";
  const size = `${isPart === true ? "more than " : ""}${length} byte${length === 1 ? "" : "s"}`;
  return `${named} (${size}) contains no readable text. Find an HTML, Markdown or plain-text version of it`;
}

/**
 * Returns the URL of the thread's code: beside this file in the source, beside this chunk in a bundle. The name is
 * composed here so that no bundler mistakes it for an asset.
 */
export function workerUrl(): URL {
  const name = import.meta.url.endsWith(".ts") ? "page-worker.ts" : "extract-worker.cjs";
  return new URL(name, import.meta.url);
}

let shared: Extractor | undefined;

/**
 * Extracts the content of an HTML page: its title, text, Markdown, links, headings and tables, without navigation and
 * hidden elements. Fetches nothing. The work is done in one thread that all callers share and that ends when idle.
 *
 * @example
 * ```ts
 * const page = await extractPage(html, { url: "https://example.com/docs/" });
 * page.links; // [{ text: "Guide", url: "https://example.com/docs/guide" }]
 * ```
 */
export async function extractPage(html: string, options: ExtractOptions = {}): Promise<ExtractedPage> {
  return (shared ??= createExtractor()).page(html, options);
}

/** Extracts the content of a document of any type that contains text; other types fail with `unsupported_type`. */
export async function extractDocument(bytes: Uint8Array, options: DocumentOptions = {}): Promise<ExtractedDocument> {
  return (shared ??= createExtractor()).document(bytes, options);
}

/**
 * Ends the thread of {@link extractPage} and {@link extractDocument}, if it is running; the next page starts another.
 */
export async function closeExtraction(): Promise<void> {
  const ended = shared;
  shared = undefined;
  await ended?.close();
}

import { type Clock, systemClock } from "../../base/index.ts";
import { type ContentKind, contentKind, mediaType } from "./content-kind.ts";
import { type CharsetSource, decodeBody } from "./decode-body.ts";
import { extractHtml } from "./extract-html.ts";
import { throwIfAborted, unreadable } from "./extract-reasons.ts";
import type { ExtractOptions, ExtractedPage } from "./extracted-page.ts";
import { PageThread } from "./page-thread.ts";
import { plainPage } from "./plain-page.ts";
import { readJson } from "./read-json.ts";
import { readMarkdown } from "./read-markdown.ts";
import { readMarkup } from "./read-markup.ts";
import { workerUrl } from "./worker-url.ts";

/** How an {@link Extractor} works. */
export interface ExtractorOptions {
  readonly clock?: Clock;
  /** How long building one page may take; then only its text is read. Default 3 s. */
  readonly limitMs?: number;
  /** How long the thread waits for another page before it ends. Default 15 s. */
  readonly idleMs?: number;
  /** How many pages may wait for the thread; of those beyond, only the text is read. Default 64. */
  readonly maxWaiting?: number;
}

/** How to read a document of any type. */
export interface DocumentOptions extends ExtractOptions {
  /** The content type that came with it. */
  readonly contentType?: string;
}

/** A document of any type, and how its bytes were decoded. */
export interface ExtractedDocument extends ExtractedPage {
  readonly charset: string;
  readonly charsetSource: CharsetSource;
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

/**
 * Makes an extractor with a thread of its own, which starts with the first page.
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
  const services = { thread, clock };
  let closed = false;
  const checkOpen = (): void => {
    if (closed) throw unreadable("closed", "the extractor is closed. Make another to read more");
  };
  return {
    async page(html, options = {}) {
      checkOpen();
      return extractHtml(html, options, services);
    },
    async document(bytes, options = {}) {
      checkOpen();
      throwIfAborted(options.signal);
      const kind = contentKind(options.contentType, bytes, options.url);
      if (kind === "unsupported") throw unreadable("unsupported_type", unsupported(options.contentType));
      const { text, charset, source } = decodeBody(bytes, options.contentType);
      const page = await read(kind, text, options);
      return { ...page, charset, charsetSource: source };
    },
    async close() {
      closed = true;
      await thread.close();
    },
  };

  async function read(
    kind: Exclude<ContentKind, "unsupported">,
    text: string,
    options: ExtractOptions,
  ): Promise<ExtractedPage> {
    switch (kind) {
      case "html":
        return extractHtml(text, options, services);
      case "markup":
        return readMarkup(text, options, clock);
      case "json":
        return readJson(text, options);
      case "markdown":
        return readMarkdown(text, options);
      case "text":
        return plainPage({ kind, text }, options);
      default:
        return kind satisfies never;
    }
  }
}

function unsupported(contentType: string | undefined): string {
  const type = mediaType(contentType);
  const named = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? `a document of type ${type}` : "a binary document";
  return `${named} has no text that can be read here. Look for an HTML, Markdown or plain-text version of it`;
}

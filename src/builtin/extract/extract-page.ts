import type { ExtractOptions, ExtractedPage } from "./extracted-page.ts";
import { type DocumentOptions, type Extractor, createExtractor } from "./extractor.ts";
import type { ExtractedDocument } from "./read-document.ts";

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

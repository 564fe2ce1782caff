import { type CutText, cutText } from "../../text/index.ts";

/** A link with an absolute http(s) address. */
export interface PageLink {
  readonly text: string;
  readonly url: string;
}

/** An image with an absolute http(s) address. It is listed, never fetched. */
export interface PageImage {
  /** The alternative text of the image. */
  readonly text: string;
  readonly url: string;
}

/** A heading, in the order of the document. */
export interface PageHeading {
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
}

/** The cells of a table as text, its heading row first. */
export interface PageTable {
  readonly caption?: string;
  readonly rows: readonly (readonly string[])[];
}

/**
 * Method by which the content was found:
 * - `article`: the part that reads like an article;
 * - `main`: the part that the page marks as its main content;
 * - `page`: the whole page without its navigation;
 * - `stream`: the text of the whole page, read without building a document: it is too large, too deep or too slow;
 * - `document`: it is not HTML.
 */
export type ExtractMethod = "article" | "main" | "page" | "stream" | "document";

/** Kind that a document was parsed as. */
export type DocumentKind = "html" | "feed" | "xml" | "json" | "markdown" | "text";

/** The content of a page, without its boilerplate. All text is free of control, bidi and other invisible characters. */
export interface ExtractedPage {
  readonly kind: DocumentKind;
  readonly method: ExtractMethod;
  /** Empty if the page has none. */
  readonly title: string;
  readonly byline?: string;
  /** The name of the site. */
  readonly site?: string;
  /** As the page states it. */
  readonly published?: string;
  /** A language tag such as `en` or `zh-CN`, as the page states it. */
  readonly language?: string;
  /** The page's own short description, or the beginning of the text. */
  readonly excerpt: string;
  readonly text: string;
  readonly markdown: string;
  readonly links: readonly PageLink[];
  readonly images: readonly PageImage[];
  readonly headings: readonly PageHeading[];
  readonly tables: readonly PageTable[];
  /** True if something was omitted because of its length. */
  readonly truncated: boolean;
}

/**
 * Determines the links: `links` lists those of the whole page, `structured` at most 20 of the content, `text` and
 * `markdown` those of the content.
 */
export type ExtractForm = "text" | "markdown" | "links" | "structured";

/** Options for reading a page. */
export interface ExtractOptions {
  /** Address of the page: relative addresses are resolved against it. Without it they are omitted. */
  readonly url?: string;
  readonly as?: ExtractForm;
  /** Maximum number of characters of `text`, and of `markdown`. Default: 200,000; at most 1,000,000. */
  readonly maxChars?: number;
  readonly signal?: AbortSignal;
}

/** Default maximum number of characters of a text. */
const defaultMaxChars = 200_000;

/** Upper bound of the maximum number of characters of a text. */
const maxPageChars = 1_000_000;

/** Maximum number of links in the structured form. */
export const structuredLinks = 20;

/** Returns the requested maximum number of characters within the allowed range; invalid values mean the default. */
export function maxCharsOf({ maxChars = defaultMaxChars }: ExtractOptions): number {
  return maxChars >= 1 ? Math.floor(Math.min(maxChars, maxPageChars)) : defaultMaxChars;
}

/** Cuts the text of a page at the end of a line, a sentence or a word if one is near, so that little is lost. */
export function cutPage(text: string, maxChars: number): CutText {
  return cutText(text, maxChars, { at: "line", near: 200, ending: "" });
}

/** A link with an absolute http(s) address. */
export interface PageLink {
  readonly text: string;
  readonly url: string;
}

/** An image with an absolute http(s) address. It is listed, never fetched. */
export interface PageImage {
  /** What the page says that it shows. */
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
 * How the content was found:
 * - `article`: the part that reads like an article;
 * - `main`: the part that the page marks as its main content;
 * - `page`: the whole page without its navigation;
 * - `stream`: the text of the whole page, read without building a document: it is too large, too deep or too slow;
 * - `document`: it is no HTML.
 */
export type ExtractMethod = "article" | "main" | "page" | "stream" | "document";

/** What a document was read as. */
export type DocumentKind = "html" | "feed" | "xml" | "json" | "markdown" | "text";

/** The content of a page, without what surrounds it. All text is free of control, bidi and other unseen characters. */
export interface ExtractedPage {
  readonly kind: DocumentKind;
  readonly method: ExtractMethod;
  /** Empty where the page has none. */
  readonly title: string;
  readonly byline?: string;
  /** The name of the site. */
  readonly site?: string;
  /** As the page states it. */
  readonly published?: string;
  /** A language tag such as `en` or `zh-CN`, as the page states it. */
  readonly language?: string;
  /** The page's own short description, or how the text begins. */
  readonly excerpt: string;
  readonly text: string;
  readonly markdown: string;
  readonly links: readonly PageLink[];
  readonly images: readonly PageImage[];
  readonly headings: readonly PageHeading[];
  readonly tables: readonly PageTable[];
  /** Something was left out because it is too long. */
  readonly truncated: boolean;
}

/**
 * What the links are wanted for: `links` lists those of the whole page, `structured` at most 20 of the content,
 * `text` and `markdown` those of the content.
 */
export type ExtractForm = "text" | "markdown" | "links" | "structured";

/** How to read a page. */
export interface ExtractOptions {
  /** Where the page is: relative addresses are resolved against it. Without it they are left out. */
  readonly url?: string;
  readonly as?: ExtractForm;
  /** The most characters of `text`, and of `markdown`. Default 200,000, at most 1,000,000. */
  readonly maxChars?: number;
  readonly signal?: AbortSignal;
}

/** The most characters of a text, where nobody says otherwise. */
const defaultMaxChars = 200_000;

/** The most characters of a text, whatever somebody says. */
const mostChars = 1_000_000;

/** The most links in the structured form. */
export const structuredLinks = 20;

/** The most characters that are wanted, within what is given at all; nonsense means the default. */
export function maxCharsOf({ maxChars = defaultMaxChars }: ExtractOptions): number {
  return maxChars >= 1 ? Math.floor(Math.min(maxChars, mostChars)) : defaultMaxChars;
}

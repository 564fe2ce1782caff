import { type CutText, stripUnsafe } from "../../text/index.ts";
import { cutPage } from "./cut-page.ts";
import {
  type DocumentKind,
  type ExtractOptions,
  type ExtractedPage,
  maxCharsOf,
  structuredLinks,
} from "./extracted-page.ts";
import { cleanLabel } from "./page-sink.ts";

/** The known parts of a document that is not HTML. */
export interface PlainPage extends Partial<Omit<ExtractedPage, "kind" | "method" | "truncated">> {
  readonly kind: DocumentKind;
  readonly text: string;
  /** True if something was already omitted. */
  readonly cut?: boolean;
}

/** Converts a document that is not HTML to a page. */
export function plainPage(page: PlainPage, options: ExtractOptions): ExtractedPage {
  const { cut = false, ...reported } = page;
  const maxChars = maxCharsOf(options);
  const text = fit(page.text, maxChars);
  const markdown = page.markdown === undefined ? text : fit(page.markdown, maxChars);
  const links = page.links ?? [];
  return {
    title: "",
    images: [],
    headings: [],
    tables: [],
    excerpt: cleanLabel(text.text.slice(0, 1000)),
    ...reported,
    method: "document",
    text: text.text,
    markdown: markdown.text,
    links: options.as === "structured" ? links.slice(0, structuredLinks) : links,
    truncated: cut || text.cut || markdown.cut,
  };
}

function fit(text: string, maxChars: number): CutText {
  // A little more than the limit, so that the end of a line, a word or a character can be found.
  const fitting = cutPage(stripUnsafe(text.slice(0, maxChars + 64)), maxChars);
  return { ...fitting, cut: fitting.cut || text.length > maxChars };
}

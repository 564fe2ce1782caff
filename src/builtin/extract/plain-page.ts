import { type CutText, stripUnsafe } from "../../text/index.ts";
import { cutPage } from "./cut-page.ts";
import {
  type DocumentKind,
  type ExtractOptions,
  type ExtractedPage,
  maxCharsOf,
  structuredLinks,
} from "./extracted-page.ts";
import { oneLine } from "./page-sink.ts";

/** What is known of a document that is no HTML. */
export interface PlainPage extends Partial<Omit<ExtractedPage, "kind" | "method" | "truncated">> {
  readonly kind: DocumentKind;
  readonly text: string;
  /** Something was left out already. */
  readonly cut?: boolean;
}

/** A document that is no HTML, in the shape of a page. */
export function plainPage(page: PlainPage, options: ExtractOptions): ExtractedPage {
  const { cut = false, ...told } = page;
  const maxChars = maxCharsOf(options);
  const text = fit(page.text, maxChars);
  const markdown = page.markdown === undefined ? text : fit(page.markdown, maxChars);
  const links = page.links ?? [];
  return {
    title: "",
    images: [],
    headings: [],
    tables: [],
    excerpt: oneLine(text.text.slice(0, 1000)),
    ...told,
    method: "document",
    text: text.text,
    markdown: markdown.text,
    links: options.as === "structured" ? links.slice(0, structuredLinks) : links,
    truncated: cut || text.cut || markdown.cut,
  };
}

function fit(text: string, maxChars: number): CutText {
  // A little more than fits, so that it is seen where a line, a word or a character ends.
  const fitting = cutPage(stripUnsafe(text.slice(0, maxChars + 64)), maxChars);
  return { ...fitting, cut: fitting.cut || text.length > maxChars };
}

import type { Clock } from "../../base/index.ts";
import type { ContentKind } from "./content-kind.ts";
import { type CharsetSource, decodeBody } from "./decode-body.ts";
import { extractHtml } from "./extract-html.ts";
import type { ExtractOptions, ExtractedPage } from "./extracted-page.ts";
import { plainPage } from "./plain-page.ts";
import type { Article, ArticleJob } from "./read-article.ts";
import { readJson } from "./read-json.ts";
import { readMarkdown } from "./read-markdown.ts";
import { readMarkup } from "./read-markup.ts";

/** A document to read, in a form that goes from one thread to another. */
export interface DocumentJob extends Omit<ExtractOptions, "signal"> {
  readonly kind: Exclude<ContentKind, "unsupported">;
  readonly body: Uint8Array;
  /** The content type that came with it. */
  readonly contentType?: string;
}

/** How to read. */
export interface ReadServices {
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /** Finds what matters in a page, however long that takes; without it all of the page's text is read in slices. */
  readonly findArticle?: (job: ArticleJob) => Article | undefined;
}

/** A document of any type, and how its bytes were decoded. */
export interface ExtractedDocument extends ExtractedPage {
  readonly charset: string;
  readonly charsetSource: CharsetSource;
}

/** Reads a document. Markup is read in slices; the time for anything else grows with its length. */
export async function readDocument(job: DocumentJob, services: ReadServices = {}): Promise<ExtractedDocument> {
  const { text, charset, source } = decodeBody(job.body, job.contentType);
  return { ...(await read(text, job, services)), charset, charsetSource: source };
}

async function read(text: string, job: DocumentJob, services: ReadServices): Promise<ExtractedPage> {
  const { kind } = job;
  switch (kind) {
    case "html":
      return extractHtml(text, job, services);
    case "markup":
      return readMarkup(text, job, services);
    case "json":
      return readJson(text, job);
    case "markdown":
      return readMarkdown(text, job);
    case "text":
      return plainPage({ kind, text }, job);
    default:
      return kind satisfies never;
  }
}

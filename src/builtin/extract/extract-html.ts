import type { Clock } from "../../base/index.ts";
import { throwIfAborted } from "./extract-reasons.ts";
import {
  type ExtractOptions,
  type ExtractedPage,
  type PageLink,
  defaultMaxChars,
  mostChars,
  structuredLinks,
} from "./extracted-page.ts";
import { type PageContent, oneLine } from "./page-sink.ts";
import type { PageThread } from "./page-thread.ts";
import type { Article } from "./read-article.ts";
import { LinkResolver, baseOf } from "./resolve-link.ts";
import { type PageScan, scanPage } from "./scan-page.ts";
import { listPageLinks, streamPage } from "./stream-page.ts";

/** What reading pages needs. */
export interface HtmlServices {
  readonly thread: PageThread;
  readonly clock: Clock;
}

/** More than this of a page is not looked at. */
const maxInput = 20_000_000;

/** The content of a page of HTML. */
export async function extractHtml(
  html: string,
  options: ExtractOptions,
  services: HtmlServices,
): Promise<ExtractedPage> {
  const { url, as, signal } = options;
  throwIfAborted(signal);
  const page = html.slice(0, maxInput);
  const how = { signal, clock: services.clock };
  const scan = await scanPage(page, how);
  const base = baseOf(scan.base, url);
  const links = new LinkResolver(base, url);
  const maxChars = maxCharsOf(options);
  const job = { html: page, isWhole: scan.isWhole, base: base?.href, url, maxChars };
  const article = scan.fits ? await services.thread.read(job, signal) : undefined;
  throwIfAborted(signal);
  const read = usable(article) ?? {
    method: "stream" as const,
    content: await streamPage(page, { links, maxChars }, how),
  };
  const all = as === "links" ? await listPageLinks(page, links, how) : undefined;
  return compose(scan, read, { all, structured: as === "structured", cut: page.length < html.length });
}

/** The most characters that are wanted, within what is given at all; nonsense means the default. */
export function maxCharsOf({ maxChars = defaultMaxChars }: ExtractOptions): number {
  return maxChars >= 1 ? Math.floor(Math.min(maxChars, mostChars)) : defaultMaxChars;
}

/** A page without any text was not understood. */
function usable(article: Article | undefined): Article | undefined {
  return article === undefined || article.content.text === "" ? undefined : article;
}

interface Wanted {
  readonly all: readonly PageLink[] | undefined;
  readonly structured: boolean;
  readonly cut: boolean;
}

function compose(scan: PageScan, article: Article, { all, structured, cut }: Wanted): ExtractedPage {
  const { content, method } = article;
  const links = all ?? content.links;
  const told = {
    byline: article.byline ?? scan.byline,
    site: article.site ?? scan.site,
    published: article.published ?? scan.published,
    language: scan.language,
  };
  return {
    kind: "html",
    method,
    title: article.title ?? scan.title ?? "",
    ...present(told),
    excerpt: scan.description ?? article.excerpt ?? firstWords(content),
    text: content.text,
    markdown: content.markdown,
    links: structured ? links.slice(0, structuredLinks) : links,
    images: content.images,
    headings: content.headings,
    tables: content.tables,
    truncated: cut || content.truncated,
  };
}

/** Without what is not known. */
export function present<Values extends Record<string, string | undefined>>(
  values: Values,
): { [Key in keyof Values]?: string } {
  // Only keys of Values are left, each with a text.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== "")) as {
    [Key in keyof Values]?: string;
  };
}

function firstWords({ text }: PageContent): string {
  return oneLine(text.slice(0, 1000));
}

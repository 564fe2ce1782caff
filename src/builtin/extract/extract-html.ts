import {
  type ExtractOptions,
  type ExtractedPage,
  type PageLink,
  maxCharsOf,
  structuredLinks,
} from "./extracted-page.ts";
import { type PageContent, oneLine } from "./page-sink.ts";
import type { Article } from "./read-article.ts";
import type { ReadServices } from "./read-document.ts";
import { LinkResolver, baseOf } from "./resolve-link.ts";
import { type PageScan, scanPage } from "./scan-page.ts";
import { listPageLinks, streamPage } from "./stream-page.ts";

/** The content of a page of HTML. */
export async function extractHtml(
  html: string,
  options: ExtractOptions,
  services: ReadServices,
): Promise<ExtractedPage> {
  const { url, as } = options;
  const scan = await scanPage(html, services);
  const { styles } = scan;
  const base = baseOf(scan.base, url);
  const links = new LinkResolver(base, url);
  const maxChars = maxCharsOf(options);
  const job = { html, isWhole: scan.isWhole, base: base?.href, url, maxChars, styles };
  const article = scan.fits ? services.findArticle?.(job) : undefined;
  const read = usable(article) ?? {
    method: "stream" as const,
    content: await streamPage(html, { links, maxChars, styles }, services),
  };
  const all = as === "links" ? await listPageLinks(html, { links, maxChars: 0, styles }, services) : undefined;
  return compose(scan, read, { all, structured: as === "structured" });
}

/** A page without any text was not understood. */
function usable(article: Article | undefined): Article | undefined {
  return article === undefined || article.content.text === "" ? undefined : article;
}

interface Wanted {
  readonly all: readonly PageLink[] | undefined;
  readonly structured: boolean;
}

function compose(scan: PageScan, article: Article, { all, structured }: Wanted): ExtractedPage {
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
    truncated: content.truncated,
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

import {
  type ExtractOptions,
  type ExtractedPage,
  type PageLink,
  maxCharsOf,
  structuredLinks,
} from "./extracted-page.ts";
import { type PageContent, cleanLabel, PageSink, type PageSinkOptions } from "./page-sink.ts";
import type { Article } from "./read-article.ts";
import type { ReadServices } from "./read-document.ts";
import { LinkResolver, baseOf } from "./resolve-link.ts";
import { type PageScan, scanPage } from "./scan-page.ts";
import { parseInSlices } from "./parse-markup-in-slices.ts";

/** Extracts the content of an HTML page. */
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

/** Undefined for an article without text, which was not understood. */
function usable(article: Article | undefined): Article | undefined {
  return article === undefined || article.content.text === "" ? undefined : article;
}

function compose(
  scan: PageScan,
  article: Article,
  { all, structured }: { readonly all: readonly PageLink[] | undefined; readonly structured: boolean },
): ExtractedPage {
  const { content, method } = article;
  const links = all ?? content.links;
  const reported = {
    byline: article.byline ?? scan.byline,
    site: article.site ?? scan.site,
    published: article.published ?? scan.published,
    language: scan.language,
  };
  return {
    kind: "html",
    method,
    title: article.title ?? scan.title ?? "",
    ...withoutUndefined(reported),
    excerpt: scan.description ?? article.excerpt ?? cleanLabel(content.text.slice(0, 1000)),
    text: content.text,
    markdown: content.markdown,
    links: structured ? links.slice(0, structuredLinks) : links,
    images: content.images,
    headings: content.headings,
    tables: content.tables,
    truncated: content.truncated,
  };
}

/** Removes undefined values. */
export function withoutUndefined<Values extends Record<string, string | undefined>>(
  values: Values,
): { [Key in keyof Values]?: string } {
  // Only keys of Values remain, each with a string.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== "")) as {
    [Key in keyof Values]?: string;
  };
}

const boilerplateElements: ReadonlySet<string> = new Set(["nav", "footer", "aside"]);

/** Extracts the content of a whole page without building a document: for pages that are too large or too deep. */
async function streamPage(html: string, sink: PageSinkOptions, services: ReadServices): Promise<PageContent> {
  const read = async (without: ReadonlySet<string>): Promise<PageContent> => {
    const into = new PageSink({ ...sink, without });
    await parseInSlices(html, into, services);
    return into.content();
  };
  const content = await read(boilerplateElements);
  // A page that never closes its navigation would consist of navigation only.
  return content.text === "" ? read(new Set()) : content;
}

/** Returns the links of a whole page, including its navigation. */
async function listPageLinks(
  html: string,
  options: PageSinkOptions,
  services: ReadServices,
): Promise<readonly PageLink[]> {
  const sink = new PageSink(options);
  await parseInSlices(html, sink, services);
  return sink.content().links;
}

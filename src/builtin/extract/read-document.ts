import { type Clock, parseJson } from "../../base/index.ts";
import { CodeFences, findFrontMatter, prettyPrintJson, type CutText, stripUnsafe } from "../../text/index.ts";
import type { ContentKind } from "./content-kind.ts";
import { type CharsetSource, decodeBody } from "./decode-body.ts";
import {
  type ExtractOptions,
  type ExtractedPage,
  maxCharsOf,
  type PageLink,
  type PageHeading,
  type DocumentKind,
  structuredLinks,
  cutPage,
} from "./extracted-page.ts";
import type { Article, ArticleJob } from "./read-article.ts";
import { fenceFor, markdownAddress } from "./inline-writer.ts";
import { cleanLabel, listLimits, type PageContent, PageSink, type PageSinkOptions } from "./page-sink.ts";
import { FeedReader, type FeedEntry } from "./feed-reader.ts";
import { parseInSlices } from "./parse-markup-in-slices.ts";
import { LinkResolver, baseOf } from "./resolve-link.ts";
import { type PageScan, scanPage } from "./scan-page.ts";

/** A document to read, in a form that can be transferred between threads. */
export interface DocumentJob extends Omit<ExtractOptions, "signal"> {
  readonly kind: Exclude<ContentKind, "unsupported">;
  readonly body: Uint8Array;
  /** The content type of its response header. */
  readonly contentType?: string;
}

/** Services for reading. */
export interface ReadServices {
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /**
   * Finds the main content of a page, without a time limit; without it, the whole text of the page is read in slices.
   */
  readonly findArticle?: (job: ArticleJob) => Article | undefined;
}

/** A document of any type, and how its bytes were decoded. */
export interface ExtractedDocument extends ExtractedPage {
  readonly charset: string;
  readonly charsetSource: CharsetSource;
}

/** Reads a document. Markup is read in slices; the time for other types grows with their length. */
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
      return readJsonDocument(text, job);
    case "markdown":
      return readMarkdown(text, job);
    case "text":
      return plainPage({ kind, text }, job);
    default:
      return kind satisfies never;
  }
}

/** Formats JSON for reading, with a summary of its shape. Invalid JSON is returned unchanged. */
function readJsonDocument(text: string, options: ExtractOptions): ExtractedPage {
  const value = parseJson(text);
  const shown = value === undefined ? { text, cut: false } : prettyPrintJson(text, maxCharsOf(options) + 1);
  const fence = fenceFor(shown.text, 3);
  return plainPage(
    {
      kind: "json",
      ...shown,
      markdown: `${fence}json\n${shown.text}\n${fence}`,
      title: titleOf(value),
      ...(value !== undefined && { excerpt: shapeOf(value) }),
    },
    options,
  );
}

function titleOf(value: unknown): string {
  for (const key of ["title", "name"]) {
    const found: unknown = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof found === "string") return cleanLabel(found);
  }
  return "";
}

/** Describes the type of a value. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) {
    const [first]: unknown[] = value;
    const items = value.length === 1 ? "1 item" : `${value.length} items`;
    return isObject(first) && !Array.isArray(first)
      ? `a list of ${items}, the first with ${keysOf(first)}`
      : `a list of ${items}`;
  }
  return isObject(value) ? `an object with ${keysOf(value)}` : `a ${value === null ? "null" : typeof value}`;
}

function keysOf(value: Record<string, unknown>): string {
  const keys = Object.keys(value);
  const shown = keys.slice(0, 12).join(", ");
  return cleanLabel(keys.length === 0 ? "no keys" : `the keys ${shown}${keys.length > 12 ? ", …" : ""}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Reads XML: the entries of a feed as links with their descriptions, or the text of anything else. */
async function readMarkup(text: string, options: ExtractOptions, services: ReadServices): Promise<ExtractedPage> {
  const reader = new FeedReader();
  await parseInSlices(text, reader, { xml: true, ...services });
  if (!reader.isFeed) return plainPage({ kind: "xml", text: lines(reader.body), cut: reader.cut }, options);
  const resolver = new LinkResolver(baseOf(undefined, options.url), undefined);
  const entries = reader.entries.map((entry) => ({ ...entry, link: resolver.link(entry.link) }));
  return plainPage(
    {
      kind: "feed",
      title: cleanLabel(reader.feed.title),
      ...withoutUndefined({ published: reader.feed.date, language: reader.feed.language }),
      excerpt: cleanLabel(reader.feed.summary),
      text: entries.map((entry) => show(entry, entry.title)).join("\n\n"),
      markdown: entries.map((entry) => show(entry, markdownTitle(entry))).join("\n\n"),
      links: listLinks(entries),
      cut: reader.cut,
    },
    options,
  );
}

/** Removes indentation and empty lines that only format the XML. */
function lines(text: string): string {
  const trimmed = text.split("\n").map((line) => line.trim());
  return trimmed.filter((line) => line !== "").join("\n");
}

type DisplayedEntry = Omit<FeedEntry, "link"> & { readonly link: string | undefined };

function show({ date, summary }: DisplayedEntry, title: string): string {
  return [title, date, summary].filter((part) => part !== "").join("\n");
}

function markdownTitle({ title, link }: DisplayedEntry): string {
  const name = title.replaceAll(/[[\]]/g, String.raw`\$&`);
  return `## ${link === undefined ? name : `[${name}](${markdownAddress(link)})`}`;
}

function listLinks(entries: readonly DisplayedEntry[]): PageLink[] {
  const links = new Map<string, PageLink>();
  for (const { title, link } of entries)
    if (link !== undefined && !links.has(link)) links.set(link, { text: title, url: link });
  return [...links.values()].slice(0, listLimits.links);
}

const maxInput = 2_000_000;
const maxFrontMatter = 20_000;

/** Returns Markdown unchanged, with its title, headings and links. */
function readMarkdown(text: string, options: ExtractOptions): ExtractedPage {
  const body = text.slice(0, maxInput).replaceAll(/\r\n?/g, "\n");
  const found = findFrontMatter(body.slice(0, maxFrontMatter));
  const front = found.kind === "found" ? found.yaml : "";
  const lines = proseLines(body);
  const headings = lines.flatMap((line) => headingOf(line) ?? []).slice(0, listLimits.headings);
  const title =
    /^title:\s*["']?(.{1,300}?)["']?\s*$/m.exec(front)?.[1] ?? headings.find(({ level }) => level === 1)?.text;
  return plainPage(
    {
      kind: "markdown",
      text: body,
      headings,
      links: linksOf(lines, options.url),
      cut: text.length > maxInput,
      title: cleanLabel(title ?? headings[0]?.text ?? ""),
    },
    options,
  );
}

/** Returns the lines outside of fenced code. */
function proseLines(body: string): string[] {
  const fences = new CodeFences();
  return body
    .slice(0, 1_000_000)
    .split("\n")
    .filter((line) => !fences.isCode(line));
}

function headingOf(line: string): PageHeading | undefined {
  const found = /^ {0,3}(#{1,6})\s+(.{1,300})/.exec(line);
  const text = found?.[2]?.replace(/\s+#+\s*$/, "").trim();
  return found?.[1] === undefined || text === undefined || text === ""
    ? undefined
    : { level: found[1].length, text: cleanLabel(text) };
}

/** Links in parentheses, and bare ones between angle brackets. Images are not links. */
const linkPattern =
  /(?<!!)\[([^\][]{1,300})\]\(\s*<?([^\s()<>]{1,2000})(?:>|\s[^()]{0,300})?\)|<(https?:\/\/[^\s<>]{1,2000})>/g;

function linksOf(lines: readonly string[], url: string | undefined): PageLink[] {
  const resolver = new LinkResolver(baseOf(undefined, url), url);
  const links = new Map<string, PageLink>();
  for (const line of lines) {
    for (const [, text, target, bare] of line.slice(0, 10_000).matchAll(linkPattern)) {
      const found = resolver.link(target ?? bare);
      if (found !== undefined && !links.has(found))
        links.set(found, { text: cleanLabel(text ?? bare ?? ""), url: found });
      if (links.size >= listLimits.links) return [...links.values()];
    }
  }
  return [...links.values()];
}

/** The known parts of a document that is not HTML. */
interface PlainPage extends Partial<Omit<ExtractedPage, "kind" | "method" | "truncated">> {
  readonly kind: DocumentKind;
  readonly text: string;
  /** True if something was already omitted. */
  readonly cut?: boolean;
}

/** Converts a document that is not HTML to a page. */
function plainPage(page: PlainPage, options: ExtractOptions): ExtractedPage {
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

/** Extracts the content of an HTML page. */
async function extractHtml(html: string, options: ExtractOptions, services: ReadServices): Promise<ExtractedPage> {
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
    ...content,
    links: structured ? links.slice(0, structuredLinks) : links,
  };
}

/** Removes undefined values. */
function withoutUndefined<Values extends Record<string, string | undefined>>(
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

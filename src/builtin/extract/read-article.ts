// Runs in its own thread: its imports are heavy, and its work can take long.
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom/worker";
import type { ExtractMethod, ExtractedPage } from "./extracted-page.ts";
import { isNonContentElement, isHidden } from "./is-non-content.ts";
import { type PageContent, PageSink, cleanLabel } from "./page-sink.ts";
import { PageStyles } from "./page-styles.ts";
import { LinkResolver } from "./resolve-link.ts";
import type { MarkupHandler } from "./parse-markup-in-slices.ts";

/** A page to read. */
export interface ArticleJob {
  readonly html: string;
  readonly isWhole: boolean;
  readonly base: string | undefined;
  readonly url: string | undefined;
  readonly maxChars: number;
  readonly styles: PageStyles;
}

/** Content that was found in a page. */
export interface Article extends Partial<Pick<ExtractedPage, "title" | "byline" | "site" | "published" | "excerpt">> {
  readonly method: ExtractMethod;
  readonly content: PageContent;
}

interface FoundContent extends Omit<Article, "content"> {
  readonly root: DomNode;
}

/** Elements at the edges of a page. */
const boilerplateSelectors: ReadonlySet<string> = new Set(["footer", "aside"]);

/** Finds the content of a page. */
export function readArticle(job: ArticleJob): Article {
  const { root, ...found } = findContent(() => openPage(job));
  const base = job.base === undefined ? undefined : (URL.parse(job.base) ?? undefined);
  const sink = new PageSink({
    links: new LinkResolver(base, job.url),
    maxChars: job.maxChars,
    // Hidden elements are already removed, and an article has lost the elements' own styles.
    styles: new PageStyles(),
    without: found.method === "page" ? boilerplateSelectors : new Set(),
  });
  walkDom(root, sink);
  return { ...found, content: sink.content() };
}

function openPage({ html, isWhole, styles }: ArticleJob): DomDocument {
  const page = isWhole ? html : `<!doctype html><html><body>${html}</body></html>`;
  // Its own types require a browser's window.
  const { document } = parseHTML(page) as unknown as { document: DomDocument };
  prunePage(document, styles);
  return document;
}

/** Chooses the content of a page: the article, unless it omits too much of the page's main content. */
function findContent(open: () => DomDocument): FoundContent {
  const document = open();
  const region = regionOf(document);
  const whole = measure(region.root);
  const title = headingTitle(document);
  const article = readable(document);
  if (article !== undefined && isEnough(measure(article.root), whole, region.method)) {
    return { ...article, ...(title !== undefined && { title }) };
  }
  // The search for an article has modified the document.
  const { root, method } = regionOf(open());
  const { root: _, ...reported } = article ?? { root: undefined };
  return { ...reported, method, root, ...(title !== undefined && { title }) };
}

function readable(document: DomDocument): FoundContent | undefined {
  const reader = new Readability<DomNode>(document, {
    keepClasses: true,
    // The element itself instead of its HTML.
    serializer: (node: unknown) => node as DomNode,
  });
  const article = reader.parse();
  if (article?.content == null) return undefined;
  const { title, byline, siteName: site, publishedTime: published, excerpt } = article;
  const reported = Object.entries({ title, byline, site, published, excerpt }).flatMap(([key, value]) =>
    value == null || value.trim() === "" ? [] : [[key, cleanLabel(value)]],
  );
  return { ...Object.fromEntries(reported), method: "article", root: article.content };
}

/** Returns the part that the page marks as its main content, else its body. */
function regionOf(document: DomDocument): { readonly root: DomNode; readonly method: "main" | "page" } {
  const marked = [...document.querySelectorAll("main,[role=main]")];
  const found = marked.length > 0 ? marked : [...document.querySelectorAll("article")];
  const [main] = found;
  if (main !== undefined && found.length === 1) return { root: main, method: "main" };
  return { root: document.body ?? { nodeType: 1, childNodes: [] }, method: "page" };
}

/** Returns a heading with which the title of the document begins: the rest names the site. */
function headingTitle(document: DomDocument): string | undefined {
  const [element] = document.querySelectorAll("title");
  const title = cleanLabel(element?.textContent ?? "");
  for (const heading of document.querySelectorAll("h1,h2")) {
    const text = cleanLabel(heading.textContent).replace(/\s*[¶#§🔗]$/u, "");
    if (text.length > 2 && title.startsWith(text) && /^(?:\s*$|\s+[-–—|·:»/]|\s*[|:_])/u.test(title.slice(text.length)))
      return text;
  }
  return undefined;
}

/** Numbers of non-space characters. */
interface Measure {
  text: number;
  /** Those in links. */
  linked: number;
  /** Characters in code and tables, outside of links. */
  laidOut: number;
}

function measure(root: DomNode): Measure {
  const into: Measure = { text: 0, linked: 0, laidOut: 0 };
  add(root, { inLink: false, inLayout: false });
  return into;

  function add(node: DomNode, where: { readonly inLink: boolean; readonly inLayout: boolean }): void {
    for (const child of node.childNodes) {
      const length = nodeText(child)?.replaceAll(/\s+/g, "").length;
      if (length !== undefined) {
        into.text += length;
        if (where.inLink) into.linked += length;
        else if (where.inLayout) into.laidOut += length;
      } else if (isElement(child)) {
        const name = child.localName.toLowerCase();
        const inLayout = where.inLayout || name === "pre" || name === "table";
        if (!isNonContentElement(name)) add(child, { inLink: where.inLink || name === "a", inLayout });
      }
    }
  }
}

/** True if an article contains what matters: little is missing, or the missing part is mostly links to other pages. */
function isEnough(retained: Measure, whole: Measure, method: "main" | "page"): boolean {
  const missing = Math.max(0, whole.text - retained.text);
  const linked = Math.max(0, whole.linked - retained.linked);
  // Code and tables are rarely boilerplate, and often what a reader needs.
  if (whole.laidOut - retained.laidOut > whole.text * 0.1) return false;
  if (method === "page") return retained.text >= whole.text * 0.4 || (retained.text > 1500 && linked > missing * 0.5);
  if (retained.text < whole.text * 0.5) return false;
  return missing <= whole.text * 0.1 || linked > missing * 0.25;
}

/** Passes the elements below a node to a handler, in order. The depth is bounded before a document is built. */
function walkDom(node: DomNode, handler: MarkupHandler): void {
  for (const child of node.childNodes) {
    const text = nodeText(child);
    if (text !== undefined) handler.text(text);
    else if (isElement(child)) walkElement(child, handler);
  }
}

function walkElement(element: DomElement, handler: MarkupHandler): void {
  const name = element.localName.toLowerCase();
  handler.open(name, (request) => element.getAttribute(request) ?? undefined);
  walkDom(element, handler);
  handler.close(name);
}

/** Names of boilerplate. Only whole names count: "custom-headers" is a part of a text. */
const boilerplateNames: ReadonlySet<string> = new Set(
  (
    "ad ads advert advertisement banner breadcrumb breadcrumbs comment-list comments cookie cookie-banner cookies " +
    "disqus_thread footer menu nav navbar navfooter navheader navigation newsletter pagination pager related " +
    "related-articles related-posts respond share share-buttons sharing sidebar site-footer site-header skip-link " +
    "skiplink social social-share sphinxsidebar toc-backref"
  ).split(" "),
);

/** Elements whose class or id may identify them as boilerplate. */
const containers: ReadonlySet<string> = new Set("div ul ol p span form aside footer a table".split(" "));

/** Removes everything that is certainly not content: navigation, hidden elements, and elements with such names. */
function prunePage(document: DomDocument, styles: PageStyles): void {
  if (document.body === null) return;
  // All are collected first: removing one would disturb the traversal.
  const found = [...boilerplateIn(document.body, styles)];
  for (const element of found) element.remove();
  forgetHeadingNames(document);
}

function* boilerplateIn(node: DomNode, styles: PageStyles): Generator<DomElement> {
  for (const child of node.childNodes) {
    if (!isElement(child)) continue;
    if (isBoilerplate(child, styles)) yield child;
    else yield* boilerplateIn(child, styles);
  }
}

function isBoilerplate(element: DomElement, styles: PageStyles): boolean {
  const name = element.localName.toLowerCase();
  if (name === "nav" || element.getAttribute("role")?.toLowerCase() === "navigation") return true;
  if (isHidden(name, (request) => element.getAttribute(request) ?? undefined, styles)) return true;
  if (!containers.has(name)) return false;
  const classes = (element.getAttribute("class") ?? "").toLowerCase().split(/\s+/);
  if (classes.includes("section")) return false;
  return (
    classes.some((word) => boilerplateNames.has(word)) ||
    boilerplateNames.has((element.getAttribute("id") ?? "").toLowerCase())
  );
}

/**
 * Ignores names of sections that come from their headings: otherwise "Response headers" would be taken for the header
 * of a page, and "Comments" for those of its readers.
 */
function forgetHeadingNames(document: DomDocument): void {
  for (const heading of document.querySelectorAll("h1,h2,h3,h4,h5,h6")) {
    const title = plainName(heading.textContent);
    for (const element of [heading, heading.parentElement]) {
      const id = plainName(element?.getAttribute("id") ?? "");
      if (id !== "" && title.startsWith(id)) element?.removeAttribute("id");
    }
  }
}

function plainName(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/** The part of the DOM that is needed to read a page. */
interface DomNode {
  readonly nodeType: number;
  readonly data?: string;
  readonly childNodes: readonly DomNode[];
}

/** An element. */
interface DomElement extends DomNode {
  readonly localName: string;
  readonly textContent: string;
  readonly parentElement: DomElement | null;
  getAttribute(name: string): string | null;
  removeAttribute(name: string): void;
  querySelectorAll(selector: string): Iterable<DomElement>;
  remove(): void;
}

/** A document. */
interface DomDocument {
  readonly body: DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
}

const elementNode = 1;
const textNode = 3;
const cdataNode = 4;

/** True if a node is an element. */
function isElement(node: DomNode): node is DomElement {
  return node.nodeType === elementNode;
}

/** Returns the text of a text node. */
function nodeText(node: DomNode): string | undefined {
  return node.nodeType === textNode || node.nodeType === cdataNode ? node.data : undefined;
}

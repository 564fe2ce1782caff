// Runs in its own thread: its imports are heavy, and its work can take long.
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom/worker";
import { type DomDocument, type DomNode, isElement, nodeText, type DomElement } from "./dom-node.ts";
import type { ExtractMethod } from "./extracted-page.ts";
import { isNonContentElement } from "./is-non-content.ts";
import { type PageContent, PageSink, cleanLabel } from "./page-sink.ts";
import { PageStyles } from "./page-styles.ts";
import { prunePage } from "./prune-page.ts";
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
export interface Article {
  readonly method: ExtractMethod;
  readonly content: PageContent;
  readonly title?: string;
  readonly byline?: string;
  readonly site?: string;
  readonly published?: string;
  readonly excerpt?: string;
}

interface FoundContent {
  readonly method: ExtractMethod;
  readonly root: DomNode;
  readonly title?: string;
  readonly byline?: string;
  readonly site?: string;
  readonly published?: string;
  readonly excerpt?: string;
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

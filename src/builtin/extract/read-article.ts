// Runs in a thread of its own: what it imports is heavy, and what it does can take long.
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom/worker";
import { type DomDocument, type DomNode, isElement, textOf } from "./dom-node.ts";
import type { ExtractMethod } from "./extracted-page.ts";
import { isUnread } from "./is-unread.ts";
import { type PageContent, PageSink, oneLine } from "./page-sink.ts";
import { PageStyles } from "./page-styles.ts";
import { prunePage } from "./prune-page.ts";
import { LinkResolver } from "./resolve-link.ts";
import { walkDom } from "./walk-dom.ts";

/** A page to read. */
export interface ArticleJob {
  readonly html: string;
  readonly isWhole: boolean;
  readonly base: string | undefined;
  readonly url: string | undefined;
  readonly maxChars: number;
  readonly styles: PageStyles;
}

/** What was found in a page. */
export interface Article {
  readonly method: ExtractMethod;
  readonly content: PageContent;
  readonly title?: string;
  readonly byline?: string;
  readonly site?: string;
  readonly published?: string;
  readonly excerpt?: string;
}

interface Found {
  readonly method: ExtractMethod;
  readonly root: DomNode;
  readonly title?: string;
  readonly byline?: string;
  readonly site?: string;
  readonly published?: string;
  readonly excerpt?: string;
}

/** What a page has at its edges. */
const surroundings: ReadonlySet<string> = new Set(["footer", "aside"]);

/** Finds the content of a page. */
export function readArticle(job: ArticleJob): Article {
  const { root, ...found } = findContent(() => openPage(job));
  const base = job.base === undefined ? undefined : (URL.parse(job.base) ?? undefined);
  const sink = new PageSink({
    links: new LinkResolver(base, job.url),
    maxChars: job.maxChars,
    // What they hide is gone by now, and an article has lost the elements' own styles.
    styles: new PageStyles(),
    without: found.method === "page" ? surroundings : new Set(),
  });
  walkDom(root, sink);
  return { ...found, content: sink.content() };
}

function openPage({ html, isWhole, styles }: ArticleJob): DomDocument {
  const page = isWhole ? html : `<!doctype html><html><body>${html}</body></html>`;
  // Its own types speak of a browser's window.
  const { document } = parseHTML(page) as unknown as { document: DomDocument };
  prunePage(document, styles);
  return document;
}

/** What is believed of a page: what reads like an article, unless that leaves out too much of what the page calls its content. */
function findContent(open: () => DomDocument): Found {
  const document = open();
  const region = regionOf(document);
  const whole = measure(region.root);
  const title = headingTitle(document);
  const article = readable(document);
  if (article !== undefined && isEnough(measure(article.root), whole, region.method)) {
    return { ...article, ...(title !== undefined && { title }) };
  }
  // The search for an article took the document to pieces.
  const { root, method } = regionOf(open());
  const { root: _, ...told } = article ?? { root: undefined };
  return { ...told, method, root, ...(title !== undefined && { title }) };
}

function readable(document: DomDocument): Found | undefined {
  const reader = new Readability<DomNode>(document, {
    keepClasses: true,
    // The element itself instead of its HTML.
    serializer: (node: unknown) => node as DomNode,
  });
  const article = reader.parse();
  if (article?.content == null) return undefined;
  const { title, byline, siteName: site, publishedTime: published, excerpt } = article;
  const told = Object.entries({ title, byline, site, published, excerpt }).flatMap(([key, value]) =>
    value == null || value.trim() === "" ? [] : [[key, oneLine(value)]],
  );
  return { ...Object.fromEntries(told), method: "article", root: article.content };
}

/** The part that the page marks as its main content, else its body. */
function regionOf(document: DomDocument): { readonly root: DomNode; readonly method: "main" | "page" } {
  const marked = [...document.querySelectorAll("main,[role=main]")];
  const found = marked.length > 0 ? marked : [...document.querySelectorAll("article")];
  const [main] = found;
  if (main !== undefined && found.length === 1) return { root: main, method: "main" };
  return { root: document.body ?? { nodeType: 1, childNodes: [] }, method: "page" };
}

/** A heading with which the title of the document begins: the rest names the site. */
function headingTitle(document: DomDocument): string | undefined {
  const [element] = document.querySelectorAll("title");
  const title = oneLine(element?.textContent ?? "");
  for (const heading of document.querySelectorAll("h1,h2")) {
    const text = oneLine(heading.textContent).replace(/\s*[¶#§🔗]$/u, "");
    if (text.length > 2 && title.startsWith(text) && /^(?:\s*$|\s+[-–—|·:»/]|\s*[|:_])/u.test(title.slice(text.length)))
      return text;
  }
  return undefined;
}

/** Characters that are no space. */
interface Measure {
  text: number;
  /** Those in links. */
  linked: number;
  /** Those in code and tables, outside of links. */
  laidOut: number;
}

function measure(root: DomNode): Measure {
  const into: Measure = { text: 0, linked: 0, laidOut: 0 };
  add(root, { inLink: false, inLayout: false });
  return into;

  function add(node: DomNode, where: { readonly inLink: boolean; readonly inLayout: boolean }): void {
    for (const child of node.childNodes) {
      const length = textOf(child)?.replaceAll(/\s+/g, "").length;
      if (length !== undefined) {
        into.text += length;
        if (where.inLink) into.linked += length;
        else if (where.inLayout) into.laidOut += length;
      } else if (isElement(child)) {
        const name = child.localName.toLowerCase();
        const inLayout = where.inLayout || name === "pre" || name === "table";
        if (!isUnread(name)) add(child, { inLink: where.inLink || name === "a", inLayout });
      }
    }
  }
}

/** Whether an article holds what matters: little is missing, or what is missing is mostly links to other pages. */
function isEnough(kept: Measure, whole: Measure, method: "main" | "page"): boolean {
  const missing = Math.max(0, whole.text - kept.text);
  const linked = Math.max(0, whole.linked - kept.linked);
  // Code and tables are seldom what surrounds a text, and often what a reader came for.
  if (whole.laidOut - kept.laidOut > whole.text * 0.1) return false;
  if (method === "page") return kept.text >= whole.text * 0.4 || (kept.text > 1500 && linked > missing * 0.5);
  if (kept.text < whole.text * 0.5) return false;
  return missing <= whole.text * 0.1 || linked > missing * 0.25;
}

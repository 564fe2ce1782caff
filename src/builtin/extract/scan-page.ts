import { cleanLabel } from "./page-sink.ts";
import { PageStyles } from "./page-styles.ts";
import { type Attributes, type MarkupHandler, maxDepth, parseInSlices } from "./parse-markup-in-slices.ts";
import type { ReadServices } from "./read-document.ts";

/** Metadata of a page, and whether a document can be built from it at reasonable cost. */
export interface PageScan {
  readonly fits: boolean;
  readonly base: string | undefined;
  /** True if it begins with its root element and has a body: it can be parsed as a document as it is. */
  readonly isWhole: boolean;
  readonly title: string;
  readonly language: string | undefined;
  readonly byline: string | undefined;
  readonly site: string | undefined;
  readonly published: string | undefined;
  readonly description: string | undefined;
  /** The page's own styles, which may hide elements. */
  readonly styles: PageStyles;
}

/** Beyond these limits, building a document takes too long. */
export const documentLimits = { chars: 3_000_000, elements: 60_000, pieces: 250_000, attributes: 300 } as const;

/** In order of preference. */
const metaNames = {
  title: ["og:title", "twitter:title", "dc.title"],
  byline: ["author", "article:author", "dc.creator"],
  site: ["og:site_name", "application-name"],
  published: ["article:published_time", "date", "dc.date", "pubdate", "datepublished"],
  description: ["description", "og:description", "twitter:description", "dc.description"],
} as const;

const metaNameSet: ReadonlySet<string> = new Set(Object.values(metaNames).flat());

/** Reads a page once, without building a document. */
export async function scanPage(html: string, services: ReadServices): Promise<PageScan> {
  const head = new HeadReader();
  const { depth, elements, pieces, attributes } = await parseInSlices(html, head, services);
  const meta = (names: readonly string[]): string | undefined =>
    names.map((name) => head.meta.get(name)).find((value) => value !== undefined && value !== "");
  return {
    fits:
      depth <= maxDepth &&
      elements <= documentLimits.elements &&
      pieces <= documentLimits.pieces &&
      attributes <= documentLimits.attributes &&
      html.length <= documentLimits.chars,
    base: head.base,
    isWhole: head.isWhole,
    title: cleanLabel(head.title) || (meta(metaNames.title) ?? ""),
    language: head.language,
    byline: meta(metaNames.byline),
    site: meta(metaNames.site),
    published: meta(metaNames.published),
    description: meta(metaNames.description),
    styles: head.style.styles,
  };
}

/** Collects the metadata of the head, anywhere in the page. */
class HeadReader implements MarkupHandler {
  readonly style = new StyleReader();
  readonly meta = new Map<string, string>();
  base: string | undefined;
  #first: string | undefined;
  #hasBody = false;
  title = "";
  language: string | undefined;
  #inTitle = false;
  #titles = 0;
  #foreign = 0;

  get isWhole(): boolean {
    return this.#first === "html" && this.#hasBody;
  }

  open(name: string, attributes: Attributes): void {
    this.#first ??= name;
    this.style.open(name, attributes);
    if (name === "svg" || name === "math") this.#foreign++;
    else if (name === "body") this.#hasBody = true;
    else if (name === "base") this.base ??= attributes("href");
    else if (name === "html") this.#noteLanguage(attributes);
    else if (name === "title") this.#inTitle = this.#foreign === 0 && ++this.#titles === 1;
    else if (name === "meta") this.#noteMeta(attributes);
  }

  close(name: string): void {
    this.style.close(name);
    if (name === "title") this.#inTitle = false;
    else if (name === "svg" || name === "math") this.#foreign--;
  }

  text(data: string): void {
    if (this.#first === undefined && data.trim() !== "") this.#first = "";
    this.style.text(data);
    if (this.#inTitle && this.title.length < 4000) this.title += data;
  }

  #noteLanguage(attributes: Attributes): void {
    this.language ??= languageTag(attributes("lang") ?? attributes("xml:lang"));
  }

  #noteMeta(attributes: Attributes): void {
    const name = (attributes("name") ?? attributes("property") ?? attributes("itemprop"))?.toLowerCase();
    const content = attributes("content");
    if (name === undefined || content === undefined || !metaNameSet.has(name) || this.meta.has(name)) return;
    this.meta.set(name, cleanLabel(content.slice(0, 4000)));
  }
}

/** Returns a language tag as it is written; undefined if it is not one. */
function languageTag(text: string | undefined): string | undefined {
  const tag = text?.trim().replaceAll("_", "-") ?? "";
  return /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/i.test(tag) ? tag : undefined;
}

/** A longer `<style>` is truncated. */
const maxStyleLength = 500_000;

/** Collects a page's own styles. Styles for print, or for readers without scripts, are ignored. */
class StyleReader implements MarkupHandler {
  readonly styles: PageStyles = new PageStyles();
  #style: string | undefined;
  #withoutScripts = 0;

  open(name: string, attributes: Attributes): void {
    if (name === "noscript") this.#withoutScripts++;
    if (name !== "style" || this.#withoutScripts > 0) return;
    if (/^\s*(?:(?:all|screen)\s*)?$/i.test(attributes("media") ?? "")) this.#style = "";
  }

  close(name: string): void {
    if (name === "noscript") this.#withoutScripts--;
    if (name !== "style" || this.#style === undefined) return;
    this.styles.add(this.#style);
    this.#style = undefined;
  }

  text(data: string): void {
    if (this.#style !== undefined && this.#style.length < maxStyleLength) this.#style += data;
  }
}

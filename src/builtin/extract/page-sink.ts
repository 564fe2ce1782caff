import { cutText, stripUnsafe } from "../../text/index.ts";
import { BlockWriter, type Budget } from "./block-writer.ts";
import {
  type ExtractedPage,
  cutPage,
  type PageHeading,
  type PageImage,
  type PageLink,
  type PageTable,
} from "./extracted-page.ts";
import { isHidden, isNonContentElement } from "./is-non-content.ts";
import type { PageStyles } from "./page-styles.ts";
import type { Attributes, MarkupHandler } from "./parse-markup-in-slices.ts";
import type { LinkResolver } from "./resolve-link.ts";

/** Options of a {@link PageSink}. */
export interface PageSinkOptions {
  readonly links: LinkResolver;
  readonly maxChars: number;
  /** The page's own styles. */
  readonly styles: PageStyles;
  /** Further elements whose content is omitted. */
  readonly without?: ReadonlySet<string>;
}

/** The content of a page. */
export type PageContent = Pick<
  ExtractedPage,
  "text" | "markdown" | "links" | "images" | "headings" | "tables" | "truncated"
>;

/** Maximum length of each list. */
export const listLimits = {
  links: 1000,
  images: 100,
  headings: 300,
  tables: 50,
  rows: 500,
  cells: 20_000,
  label: 300,
} as const;

/** Text that is collected in addition to the main text, such as that of a link. */
interface Collected {
  readonly name: string;
  readonly url: string | undefined;
  /** Used if there is no text. */
  label: string;
  text: string;
}

/**
 * Receives the elements of a page and produces its content as text and as Markdown, with its links, images and
 * headings.
 */
export class PageSink implements MarkupHandler {
  readonly #options: PageSinkOptions;
  readonly #writers: readonly { readonly writer: BlockWriter; readonly budget: Budget }[];
  readonly #links = new Map<string, PageLink>();
  readonly #images = new Map<string, PageImage>();
  readonly #headings: PageHeading[] = [];
  readonly #tables: PageTable[] = [];
  #collecting: Collected[] = [];
  /** Number of open elements inside an omitted one. */
  #skipped = 0;
  #cut = false;
  /** Cells of all tables. */
  #cells = 0;

  constructor(options: PageSinkOptions) {
    this.#options = options;
    this.#writers = [false, true].map((markdown) => this.#makeWriter(markdown));
  }

  /** Nothing more fits. */
  get done(): boolean {
    return this.#links.size >= listLimits.links && this.#writers.every(({ budget }) => budget.cut);
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skipped > 0 || this.#isSkipped(name, attributes)) {
      this.#skipped++;
      return;
    }
    if (name === "a") this.#collect(name, this.#options.links.link(attributes("href")), attributes);
    else if (/^h[1-6]$/.test(name)) this.#collect(name, undefined, attributes);
    else if (name === "img") this.#addImage(attributes);
    else if (name === "br") this.#noteText(" ");
    for (const { writer } of this.#writers) writer.open(name, attributes);
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    if (this.#collecting.at(-1)?.name === name) this.#endCollected();
    for (const { writer } of this.#writers) writer.close(name);
  }

  text(data: string): void {
    if (this.#skipped > 0) return;
    this.#noteText(data);
    for (const { writer } of this.#writers) writer.text(data);
  }

  content(): PageContent {
    const [text = "", markdown = ""] = this.#writers.map(({ writer }) => this.#cutLines(writer.finish()));
    return {
      text,
      markdown,
      links: [...this.#links.values()],
      images: [...this.#images.values()],
      headings: this.#headings,
      tables: this.#tables,
      truncated: this.#cut || this.#writers.some(({ budget }) => budget.cut),
    };
  }

  #makeWriter(markdown: boolean): { writer: BlockWriter; budget: Budget } {
    const { links, maxChars } = this.#options;
    const budget: Budget = { left: maxChars, cut: false };
    const writer = new BlockWriter({
      markdown,
      budget,
      link: (href) => links.link(href),
      image: (src) => links.image(src),
      ...(!markdown && { onTable: (table) => this.#addTable(table) }),
    });
    return { writer, budget };
  }

  #isSkipped(name: string, attributes: Attributes): boolean {
    const { without, styles } = this.#options;
    return isNonContentElement(name) || without?.has(name) === true || isHidden(name, attributes, styles);
  }

  #collect(name: string, url: string | undefined, attributes: Attributes): void {
    const label = attributes("aria-label") ?? attributes("title") ?? "";
    if (this.#collecting.length < 8) this.#collecting.push({ name, url, label, text: "" });
  }

  #noteText(data: string): void {
    for (const collected of this.#collecting) {
      if (collected.text.length < listLimits.label * 4) collected.text += data;
    }
  }

  #endCollected(): void {
    const { name, url, label, text } = this.#collecting.pop() ?? { name: "", url: undefined, label: "", text: "" };
    const shown = cleanLabel(text) || cleanLabel(label);
    if (name === "a") {
      if (url === undefined) return;
      const known = this.#links.get(url);
      if (known?.text === "") this.#links.set(url, { text: shown, url });
      else if (known === undefined) this.#list(this.#links, { text: shown, url }, listLimits.links);
    } else if (this.#headings.length >= listLimits.headings) this.#cut = true;
    else if (shown !== "") this.#headings.push({ level: Number(name[1]), text: shown.replace(/\s*[¶#§🔗]$/u, "") });
  }

  #addImage(attributes: Attributes): void {
    const text = cleanLabel(attributes("alt") ?? "");
    for (const collected of this.#collecting) collected.label ||= text;
    const url = this.#options.links.image(attributes("src"));
    if (url !== undefined) this.#list(this.#images, { text, url }, listLimits.images);
  }

  #addTable({ caption, rows }: PageTable): void {
    if (this.#tables.length >= listLimits.tables) return void (this.#cut = true);
    const shownRows = rows.slice(0, listLimits.rows).filter((row) => (this.#cells += row.length) <= listLimits.cells);
    if (shownRows.length < rows.length) this.#cut = true;
    const cells = shownRows.map((row) => row.map((cell) => stripUnsafe(cell)));
    this.#tables.push({ ...(caption !== undefined && { caption: stripUnsafe(caption) }), rows: cells });
  }

  #list<Item extends { readonly url: string }>(into: Map<string, Item>, item: Item, limit: number): void {
    if (into.size >= limit && !into.has(item.url)) this.#cut = true;
    else if (!into.has(item.url)) into.set(item.url, item);
  }

  #cutLines(lines: readonly string[]): string {
    const { text, cut } = cutPage(stripUnsafe(lines.join("\n")).trim(), this.#options.maxChars);
    this.#cut ||= cut;
    return text;
  }
}

/** Normalizes a label: one line, without invisible characters. */
export function cleanLabel(text: string): string {
  return cutText(
    stripUnsafe(text.slice(0, listLimits.label * 4))
      .replaceAll(/\s+/g, " ")
      .trim(),
    listLimits.label,
    { at: "word", ending: "" },
  ).text;
}

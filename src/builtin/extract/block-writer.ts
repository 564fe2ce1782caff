import { InlineWriter, type InlineMark, fenceFor } from "./inline-writer.ts";
import type { PageTable } from "./extracted-page.ts";
import type { Attributes } from "./parse-markup-in-slices.ts";
import { type CellWriter, TableWriter } from "./table-writer.ts";

/** Number of characters that may still be written. Shared by the writers of one text. */
export interface Budget {
  left: number;
  cut: boolean;
}

/** Options of a {@link BlockWriter}. */
export interface BlockWriterOptions {
  /** Markdown instead of plain text. */
  readonly markdown: boolean;
  readonly budget: Budget;
  /** Returns the absolute address; undefined for a link or an image that leads nowhere. */
  readonly link: (href: string | undefined) => string | undefined;
  readonly image: (src: string | undefined) => string | undefined;
  readonly onTable?: (table: PageTable) => void;
  /** Number of enclosing tables. */
  readonly tables?: number;
}

/** A prefix of every line of the blocks inside it: a quotation, or an item of a list. */
interface Container {
  readonly first: string;
  readonly rest: string;
  /** No empty line before it. */
  readonly tight: boolean;
  used: boolean;
}

interface Preformatted {
  text: string;
  /** Tracked separately, because reading the end of a string under construction costs its whole length. */
  atLineStart: boolean;
  language: string;
  depth: number;
}

/** Lists and quotations that are nested deeper get no prefix. */
const maxContainers = 12;

/** Maximum number of rows that are returned; one more row is read to know that there are more. */
const maxTableRows = 500;

/** Tables that are nested deeper are read like any other block. */
const maxTables = 6;

const inlineMarks: Readonly<Record<string, InlineMark["kind"]>> = {
  b: "strong",
  strong: "strong",
  em: "emphasis",
  i: "emphasis",
  cite: "emphasis",
  code: "code",
  kbd: "code",
  samp: "code",
  tt: "code",
  a: "link",
};

const blocks: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure " +
    "footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre " +
    "section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

const headingName = /^h[1-6]$/;

const lists: ReadonlySet<string> = new Set(["ul", "ol", "menu", "dir"]);

/** Writes elements as blocks of text: paragraphs, headings, lists, quotations, code and tables. */
export class BlockWriter implements CellWriter {
  readonly #options: BlockWriterOptions;
  readonly #lines: string[] = [];
  readonly #inline: InlineWriter;
  readonly #containers: Container[] = [];
  readonly #lists: { readonly ordered: boolean; next: number; count: number }[] = [];
  /** Languages of code, from enclosing elements. */
  readonly #languages: string[] = [];
  #heading = 0;
  #pre: Preformatted | undefined;
  #table: TableWriter | undefined;
  /** Rows of the open table. */
  #tableRows: (readonly string[])[] = [];
  #caption = "";
  #plain = true;

  constructor(options: BlockWriterOptions) {
    this.#options = options;
    this.#inline = new InlineWriter(options.markdown);
  }

  /** True if it holds nothing that cannot be written on one line. */
  get plain(): boolean {
    return this.#plain;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#table?.open(name, attributes) === true) return;
    this.#languages.push(languageOf(attributes("class")) ?? this.#languages.at(-1) ?? "");
    if (this.#pre !== undefined) this.#openInPre(this.#pre, name);
    else if (blocks.has(name)) this.#openBlock(name, attributes);
    else this.#openInline(name, attributes);
  }

  close(name: string): void {
    if (this.#table !== undefined && this.#closeInTable(this.#table, name)) return;
    this.#languages.pop();
    if (this.#pre !== undefined) this.#closeInPre(this.#pre);
    else if (blocks.has(name)) this.#closeBlock(name);
    else if (inlineMarks[name] !== undefined) this.#inline.close(inlineMarks[name]);
    else if (name === "q") this.#inline.raw("”");
  }

  text(data: string): void {
    if (this.#table?.text(data) === true) return;
    const { budget } = this.#options;
    if (budget.left <= 0) {
      if (data.trim() !== "") budget.cut = true;
      return;
    }
    budget.left -= this.#pre === undefined && data.trim() === "" ? 1 : data.length;
    if (this.#pre === undefined) this.#inline.text(data);
    else addTo(this.#pre, data);
  }

  /** Returns everything that was written, as lines. */
  finish(): readonly string[] {
    this.#flush();
    return this.#lines;
  }

  #openBlock(name: string, attributes: Attributes): void {
    this.#flush();
    if (headingName.test(name)) {
      this.#heading = Number(name[1]);
      this.#plain = false;
    } else if (lists.has(name)) this.#openList(name, attributes);
    else if (name === "li") this.#openItem();
    else if (name === "blockquote") this.#openQuote();
    else if (name === "pre")
      this.#pre = { text: "", atLineStart: true, language: this.#languages.at(-1) ?? "", depth: 0 };
    else if (name === "hr" && this.#options.markdown) this.#write(["---"]);
    else if (name === "table") this.#openTable();
  }

  #closeBlock(name: string): void {
    this.#flush();
    if (headingName.test(name)) this.#heading = 0;
    else if (lists.has(name)) this.#lists.pop();
    else if (name === "li" || name === "blockquote") this.#containers.pop();
  }

  #openInline(name: string, attributes: Attributes): void {
    const kind = inlineMarks[name];
    if (kind === "link") this.#inline.open({ kind, url: this.#options.link(attributes("href")) });
    else if (kind !== undefined) this.#inline.open({ kind });
    else if (name === "br") this.#inline.raw("\n");
    else if (name === "q") this.#inline.raw("“");
    else if (name === "img") this.#image(attributes);
  }

  #image(attributes: Attributes): void {
    const url = this.#options.markdown ? this.#options.image(attributes("src")) : undefined;
    const alt = (attributes("alt") ?? "")
      .slice(0, 300)
      .replaceAll(/[\s[\]]+/g, " ")
      .trim();
    if (url === undefined || alt === "") return;
    this.#options.budget.left -= alt.length + url.length;
    if (this.#options.budget.left > 0) this.#inline.raw(`![${alt}](${url.replaceAll(/[()]/g, encodeURIComponent)})`);
  }

  #openList(name: string, attributes: Attributes): void {
    const start = Number(attributes("start") ?? 1);
    this.#lists.push({ ordered: name === "ol", next: Number.isSafeInteger(start) ? start : 1, count: 0 });
  }

  #openItem(): void {
    const list = this.#lists.at(-1) ?? { ordered: false, next: 1, count: 0 };
    const first = list.ordered ? `${list.next++}. ` : "- ";
    const tight = list.count++ > 0 || this.#lists.length > 1;
    this.#contain(first, " ".repeat(first.length), tight);
  }

  #openQuote(): void {
    const mark = this.#options.markdown ? "> " : "";
    this.#contain(mark, mark, false);
  }

  /** Blocks that are nested deeper get no further indentation: lines would consist of margin. */
  #contain(first: string, rest: string, tight: boolean): void {
    const shown = this.#containers.length < maxContainers;
    this.#containers.push({ first: shown ? first : "", rest: shown ? rest : "", tight, used: false });
  }

  #openTable(): void {
    if ((this.#options.tables ?? 0) >= maxTables) return;
    this.#plain = false;
    this.#tableRows = [];
    this.#caption = "";
    const cellOptions = { ...this.#options, tables: (this.#options.tables ?? 0) + 1 };
    this.#table = new TableWriter(() => new BlockWriter(cellOptions));
  }

  /** True if the table, or something in it, consumed the end tag; otherwise the table has ended. */
  #closeInTable(table: TableWriter, name: string): boolean {
    const inside = table.close(name);
    if (!inside || table.isFull) this.#writePart(table);
    if (inside) return true;
    this.#table = undefined;
    if (this.#tableRows.length > 0)
      this.#options.onTable?.({ ...(this.#caption !== "" && { caption: this.#caption }), rows: this.#tableRows });
    return false;
  }

  #writePart(table: TableWriter): void {
    const part = table.takePart();
    const caption = table.takeCaption();
    if (caption !== "") this.#write([(this.#caption = caption)]);
    if (part.kind === "layout") for (const block of part.blocks) this.#write(block);
    else if (part.rows.length > 0) this.#writeRows(part.rows);
  }

  #writeRows(rows: readonly (readonly string[])[]): void {
    const isFirst = this.#tableRows.length === 0;
    for (const row of rows) if (this.#tableRows.length <= maxTableRows) this.#tableRows.push(row);
    if (!this.#options.markdown)
      this.#write(
        rows.map((row) => row.join(" | ").trim()),
        !isFirst,
      );
    else
      this.#write(
        isFirst ? [...markdownHead(rows), ...rows.slice(1).map(markdownRow)] : rows.map(markdownRow),
        !isFirst,
      );
  }

  #openInPre(pre: Preformatted, name: string): void {
    pre.depth++;
    if (name === "br" || (blocks.has(name) && !pre.atLineStart)) addTo(pre, "\n");
    pre.language ||= this.#languages.at(-1) ?? "";
  }

  #closeInPre(pre: Preformatted): void {
    if (pre.depth-- > 0) return;
    this.#pre = undefined;
    const text = pre.text.replaceAll(/\r\n?/g, "\n").replace(/^\n/, "").trimEnd();
    if (text === "") return;
    const lines = text.split("\n");
    if (lines.length > 1) this.#plain = false;
    const fence = fenceFor(text, 3);
    this.#write(this.#options.markdown ? [fence + pre.language, ...lines, fence] : lines);
  }

  /** Ends the block that is being written. */
  #flush(): void {
    const lines = this.#inline.take();
    if (lines.length === 0) return;
    if (!this.#options.markdown) this.#write(lines);
    else if (this.#heading > 0) this.#write([`${"#".repeat(this.#heading)} ${lines.join(" ")}`]);
    else this.#write(lines.map(escapeStart));
  }

  #write(lines: readonly string[], goesOn = false): void {
    const tight = goesOn || this.#containers.some(({ used, tight }) => !used && tight);
    if (this.#lines.length > 0 && !tight) this.#lines.push(this.#prefix(false).trimEnd());
    const { budget } = this.#options;
    for (const line of lines) {
      const prefix = this.#prefix(true);
      // The text was charged when it arrived.
      budget.left -= prefix.length + 1;
      this.#lines.push((prefix + line).trimEnd());
    }
  }

  #prefix(use: boolean): string {
    let prefix = "";
    for (const container of this.#containers) {
      if (container.used) prefix += container.rest;
      else if (use) {
        prefix += container.first;
        container.used = true;
      }
    }
    return prefix;
  }
}

function addTo(pre: Preformatted, text: string): void {
  pre.text += text;
  if (text !== "") pre.atLineStart = text.endsWith("\n");
}

/** Escapes characters that have a meaning at the start of a Markdown line. */
function escapeStart(line: string): string {
  if (/^(?:(?:#{1,6}|[-+])(?:\s|$)|>|~~~|-{3,}$|={3,}$)/.test(line)) return `\\${line}`;
  return line.replace(/^(\d{1,9})(?=[.)]\s)/, "$1\\");
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`;
}

/** Returns the first row, as wide as the widest, and the separator line below it. */
function markdownHead(rows: readonly (readonly string[])[]): string[] {
  const [head = []] = rows;
  const columns = rows.reduce((limit, row) => Math.max(limit, row.length), 0);
  const wide = [...head, ...Array.from({ length: columns - head.length }, () => "")];
  return [markdownRow(wide), `|${" --- |".repeat(columns)}`];
}

/** Returns the language of code, from the class of an element that contains it. */
function languageOf(classes: string | undefined): string | undefined {
  const found = /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:?)[-\s]([a-z][\w+#.-]{0,20})/i.exec(
    classes ?? "",
  )?.[1];
  return found === undefined || /^(?:default|text|none|plain|notranslate)$/i.test(found)
    ? undefined
    : found.toLowerCase();
}

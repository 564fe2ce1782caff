import type { Attributes } from "./parse-markup-in-slices.ts";

/** Writes the content of a cell. */
export interface CellWriter {
  readonly plain: boolean;
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(data: string): void;
  finish(): readonly string[];
}

interface Cell {
  readonly writer: CellWriter;
  readonly heading: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** Some rows of a table: their cells, or the contents of a table that is only used for layout. */
export type TablePart =
  | { readonly kind: "data"; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "layout"; readonly blocks: readonly (readonly string[])[] };

const ownParts: ReadonlySet<string> = new Set("caption colgroup col thead tbody tfoot tr td th".split(" "));

/** A larger span is a mistake, or an attack. */
const maxSpan = 64;

/** The content of further cells of a row goes into the last one. */
const maxRowCells = 200;

/** Number of cells after which a part of the table is written. */
const partCells = 500;

/** A cell with more text is not an entry of a data table. */
const maxCellChars = 2000;

/**
 * Collects the cells of one table. The content of a cell is written by its own writer. A long table is written in
 * parts; its first part decides whether it is a data table.
 */
export class TableWriter {
  readonly #makeWriter: () => CellWriter;
  #rows: Cell[][] = [];
  #cells = 0;
  #kind: TablePart["kind"] | undefined;
  /** For each column, the number of further rows that a cell above covers. */
  readonly #owed: number[] = [];
  #caption: CellWriter | undefined;
  /** The writer that receives text. */
  #current: CellWriter | undefined;
  /** Number of open elements inside the current cell. */
  #inside = 0;
  /** Number of open parts of this table. */
  #parts = 0;

  constructor(makeWriter: () => CellWriter) {
    this.#makeWriter = makeWriter;
  }

  open(name: string, attributes: Attributes): boolean {
    if (this.#inside === 0 && ownParts.has(name)) {
      this.#parts++;
      if (name === "tr") this.#rows.push([]);
      else if (name === "td" || name === "th") this.#openCell(name, attributes);
      else if (name === "caption") this.#current = this.#caption = this.#makeWriter();
      return true;
    }
    this.#inside++;
    this.#writer().open(name, attributes);
    return true;
  }

  /** True if the end tag belongs to something in the table; otherwise it is the table's own. */
  close(name: string): boolean {
    if (this.#inside > 0) {
      this.#inside--;
      this.#writer().close(name);
      return true;
    }
    if (this.#parts === 0) return false;
    this.#parts--;
    if (name === "td" || name === "th" || name === "caption") this.#current = undefined;
    return true;
  }

  text(data: string): boolean {
    // White space between the parts of a table is ignored.
    if (this.#current !== undefined || data.trim() !== "") this.#writer().text(data);
    return true;
  }

  /** True if there is enough to write a part; only checked between rows. */
  get isFull(): boolean {
    return this.#inside === 0 && this.#current === undefined && this.#cells >= partCells;
  }

  /** The caption, once. */
  takeCaption(): string {
    const caption = oneLine(this.#caption?.finish() ?? []);
    this.#caption = undefined;
    return caption;
  }

  /** Returns the rows since the last part. */
  takePart(): TablePart {
    const rows = this.#rows.filter((row) => row.length > 0);
    this.#rows = [];
    this.#cells = 0;
    this.#kind ??= isData(rows) ? "data" : "layout";
    if (this.#kind === "data") return { kind: "data", rows: arrange(rows, this.#owed) };
    const blocks = rows.flatMap((row) => row.map(({ writer }) => writer.finish()));
    return { kind: "layout", blocks: blocks.filter((lines) => lines.length > 0) };
  }

  #openCell(name: string, attributes: Attributes): void {
    const last = this.#rows.at(-1)?.at(-1);
    if (last !== undefined && (this.#rows.at(-1)?.length ?? 0) >= maxRowCells) {
      this.#current = last.writer;
      this.#current.text(" ");
      return;
    }
    this.#cells++;
    const cell: Cell = {
      writer: this.#makeWriter(),
      heading: name === "th",
      columns: span(attributes("colspan")),
      rows: span(attributes("rowspan")),
    };
    if (this.#rows.length === 0) this.#rows.push([]);
    this.#rows.at(-1)?.push(cell);
    this.#current = cell.writer;
  }

  /** Creates a cell for content outside of cells. */
  #writer(): CellWriter {
    if (this.#current === undefined) {
      this.#openCell("td", () => undefined);
      // It ends with the part that contains it.
      return this.#current ?? this.#makeWriter();
    }
    return this.#current;
  }
}

function span(value: string | undefined): number {
  const count = Number(value ?? 1);
  return Number.isInteger(count) && count >= 1 && count <= maxSpan ? count : 1;
}

/** True if the cells are entries, and not the columns of a page layout. */
function isData(rows: readonly (readonly Cell[])[]): boolean {
  const columns = Math.max(0, ...rows.slice(0, 100).map((row) => row.length));
  if (columns < 2) return false;
  if (rows.length < 2 && rows[0]?.some(({ heading }) => heading) !== true) return false;
  return rows.every((row) => row.every(({ writer }) => writer.plain && length(writer.finish()) <= maxCellChars));
}

function length(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

/** Arranges the cells in columns: a cell that spans several columns or rows leaves the others empty. */
function arrange(rows: readonly (readonly Cell[])[], owed: number[]): string[][] {
  // Limits the total of all spans, so that the result is not much larger than the input.
  let spare = rows.reduce((sum, row) => sum + row.length, 1000) * 3;
  const leaveEmpty = (line: string[], count: number): void => {
    for (let left = Math.min(count, spare); left > 0; left--) line.push("");
    spare -= Math.min(count, spare);
  };
  const skipOwed = (line: string[]): void => {
    let at = line.length;
    for (; (owed[at] ?? 0) > 0; at++) owed[at] = (owed[at] ?? 0) - 1;
    leaveEmpty(line, at - line.length);
  };
  return rows.map((row) => {
    const line: string[] = [];
    for (const { writer, columns, rows: down } of row) {
      skipOwed(line);
      const at = line.length;
      line.push(oneLine(writer.finish()));
      leaveEmpty(line, columns - 1);
      for (let column = at; column < line.length; column++) owed[column] = down - 1;
    }
    skipOwed(line);
    return line;
  });
}

function oneLine(lines: readonly string[]): string {
  return lines.filter((line) => line !== "").join(" ");
}

import { cutDisplay, displayWidth, padDisplay, stripUnsafe } from "../text/index.ts";
import { wrapText } from "./wrap-text.ts";

/** A column: its heading, and how its cells stand in it. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Paints a cell after it got its width. */
  readonly paint?: (cell: string, row: number) => string;
  /** What happens to a cell when the line would be too long; the last such column gives way first. */
  readonly long?: "cut" | "wrap";
}

/** What a table is made of besides its cells. */
export interface TableOptions {
  readonly columns: readonly Column[];
  /** The widest line; as wide as needed where absent. */
  readonly width?: number | undefined;
  readonly paintTitle?: (title: string) => string;
}

const gap = "  ";
const narrowest = 12;

/** Lines of a table whose columns line up, whatever script the cells are in. Text of any origin is safe in it. */
export function formatTable(rows: readonly (readonly string[])[], options: TableOptions): string[] {
  const { columns, paintTitle = (title) => title } = options;
  const cells = rows.map((row) => columns.map((_column, index) => oneLine(row[index] ?? "")));
  const widths = fit(widthsOf(columns, cells), options);
  const titles = columns.map(({ title }) => title);
  const head = titles.every((title) => title === "") ? [] : formatRow(titles, { columns, widths, paint: paintTitle });
  return [
    ...head,
    ...cells.flatMap((row, at) =>
      formatRow(row, { columns, widths, paint: (cell, { paint }) => paint?.(cell, at) ?? cell }),
    ),
  ];
}

/** Text of any origin on one line. */
export function oneLine(text: string): string {
  return stripUnsafe(text).replace(/\s+/gu, " ").trim();
}

interface Row {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
  readonly paint: (cell: string, column: Column) => string;
}

/** One row: several lines where a cell had to be wrapped. */
function formatRow(cells: readonly string[], { columns, widths, paint }: Row): string[] {
  const blocks = columns.map(({ long }, index) => {
    const [cell = "", width = 0] = [cells[index], widths[index]];
    return long === "wrap" ? wrapText(cell, width) : [cutDisplay(cell, width)];
  });
  const height = Math.max(...blocks.map(({ length }) => length));
  return Array.from({ length: height }, (_line, at) =>
    columns
      .map((column, index) => {
        const cell = padDisplay(blocks[index]?.[at] ?? "", widths[index] ?? 0, column.align);
        // Nothing follows the last column, so nothing has to be filled up to it.
        return paint(index === columns.length - 1 ? cell.trimEnd() : cell, column);
      })
      .join(gap)
      .trimEnd(),
  );
}

function widthsOf(columns: readonly Column[], cells: readonly (readonly string[])[]): number[] {
  return columns.map(({ title }, index) =>
    cells.reduce((widest, row) => Math.max(widest, displayWidth(row[index] ?? "")), displayWidth(title)),
  );
}

function fit(widths: readonly number[], { columns, width }: TableOptions): number[] {
  const fitted = [...widths];
  if (width === undefined) return fitted;
  for (let index = columns.length - 1; index >= 0; index--) {
    const own = fitted[index] ?? 0;
    const excess = fitted.reduce((sum, one) => sum + one, 0) + gap.length * (columns.length - 1) - width;
    if (columns[index]?.long !== undefined && excess > 0) {
      fitted[index] = Math.max(Math.min(own, narrowest), own - excess);
    }
  }
  return fitted;
}

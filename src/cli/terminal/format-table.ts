import { cutDisplay, displayWidth, padDisplay, toOneLine } from "../../text/index.ts";
import type { Style, Terminal } from "./terminal.ts";
import { wrapText } from "./wrap-text.ts";

export { toOneLine };

/** A column: its title, and how its cells are formatted. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Paints a cell after it is padded. */
  readonly paint?: (cell: string, row: number) => string;
  /** Way to shorten a cell if the line would be too long; the last such column is shortened first. */
  readonly long?: "cut" | "wrap";
}

/** Options of a table. */
export interface TableOptions {
  readonly columns: readonly Column[];
  /** Maximum width of a line. Default: as wide as needed. */
  readonly width?: number | undefined;
  readonly paintTitle?: (title: string) => string;
}

/** A column of {@link tableFor}: its title, or more; the style may differ by cell. */
export type StyledColumn =
  | string
  | (Omit<Column, "paint"> & { readonly style?: Style | ((cell: string, row: number) => Style | undefined) });

/** Formats a table for stdout, as wide as it is. */
export function tableFor(
  { columns: width, paint }: Pick<Terminal, "columns" | "paint">,
  columns: readonly StyledColumn[],
  rows: readonly (readonly string[])[],
): string[] {
  const painted = columns.map((column): Column => {
    if (typeof column === "string") return { title: column };
    const { style, ...rest } = column;
    const styleOf = typeof style === "function" ? style : () => style;
    const paintCell = (cell: string, row: number): string => {
      const found = styleOf(cell, row);
      return found === undefined ? cell : paint(found, cell);
    };
    return { ...rest, paint: paintCell };
  });
  return formatTable(rows, { width, columns: painted, paintTitle: (title) => paint("dim", title) });
}

const gap = "  ";
const narrowest = 12;

/** Formats a table with aligned columns, in any script. Text of any origin is safe in it. */
export function formatTable(rows: readonly (readonly string[])[], options: TableOptions): string[] {
  const { columns, paintTitle = (title) => title } = options;
  const cells = rows.map((row) => columns.map((_column, index) => toOneLine(row[index] ?? "")));
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

/** Formats one row: several lines if a cell had to be wrapped. */
function formatRow(
  cells: readonly string[],
  {
    columns,
    widths,
    paint,
  }: {
    readonly columns: readonly Column[];
    readonly widths: readonly number[];
    readonly paint: (cell: string, column: Column) => string;
  },
): string[] {
  const blocks = columns.map(({ long }, index) => {
    const [cell = "", width = 0] = [cells[index], widths[index]];
    return long === "wrap" ? wrapText(cell, width) : [cutDisplay(cell, width)];
  });
  const height = Math.max(...blocks.map(({ length }) => length));
  return Array.from({ length: height }, (_line, at) =>
    columns
      .map((column, index) => {
        const cell = padDisplay(blocks[index]?.[at] ?? "", widths[index] ?? 0, column.align);
        // The last column is not padded, since nothing follows it.
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

import { dataFailure } from "../data-reasons.ts";
import { OutputBudget } from "../output-budget.ts";
import { isObject } from "./change-value.ts";

/** Options for writing CSV. */
export interface WriteCsvOptions {
  /** Default: a comma. */
  readonly delimiter?: string | undefined;
  /** Columns, in this order. Default: all of them, in order of first occurrence. */
  readonly columns?: readonly string[] | undefined;
  /** Begin with the names of the columns. Default: true. */
  readonly header?: boolean | undefined;
  /** Prefix texts that a spreadsheet would run as a formula with `'`, and keep others from being split into such. */
  readonly escapeFormulas?: boolean | undefined;
}

/**
 * Writes a list of objects, or of lists, as CSV (RFC 4180). Inner lists and objects become JSON text.
 *
 * @example
 * ```ts
 * writeCsv([{ a: 1, b: "x, y" }]); // 'a,b\r\n1,"x, y"\r\n'
 * ```
 */
export function writeCsv(data: unknown, options: WriteCsvOptions = {}): string {
  const list: readonly unknown[] = Array.isArray(data) ? data : [data];
  const line = lineWriter(options);
  if (list.every((row) => Array.isArray(row))) return list.map(line).join("");
  const rows = list.map(asObject);
  const columns = options.columns ?? columnsOf(rows);
  // Every cell takes at least one character.
  new OutputBudget().spend(rows.length * columns.length);
  const head = options.header === false ? "" : line(columns);
  return head + rows.map((row) => line(columns.map((name) => (Object.hasOwn(row, name) ? row[name] : "")))).join("");
}

function columnsOf(rows: readonly object[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function asObject(row: unknown, at: number): Readonly<Record<string, unknown>> {
  if (isObject(row)) return row;
  const message = `json_to_csv needs a list of objects, or of lists; item ${at} is neither`;
  throw dataFailure("wrong_type", message, { parameter: "data" });
}

/** Texts that spreadsheets interpret as a formula, including leading blanks and full-width characters. */
const formula = /^(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/;

function lineWriter({
  delimiter = ",",
  escapeFormulas = false,
}: WriteCsvOptions): (cells: readonly unknown[]) => string {
  // Rows with different keys make more cells than there are values.
  const budget = new OutputBudget();
  const needsQuotes = escapeFormulas ? /[",;|\t\r\n]|^\s|\s$/ : /["\r\n]|^\s|\s$/;
  const cell = (value: unknown): string => {
    const plain = cellText(value);
    const safe = escapeFormulas && typeof value === "string" && formula.test(plain) ? `'${plain}` : plain;
    const quoted = safe.includes(delimiter) || needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    budget.spend(quoted.length + 1);
    return quoted;
  };
  return (cells) => {
    // A row of one empty cell would be read as no row.
    if (cells.length === 1 && cellText(cells[0]) === "") return '""\r\n';
    return `${cells.map(cell).join(delimiter)}\r\n`;
  };
}

function cellText(value: unknown): string {
  if (value == null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

import { textOrJson } from "../../../base/index.ts";
import { setOwn } from "../../../schema/index.ts";
import { dataFailure } from "../data-reasons.ts";
import { dataLimits, OutputBudget } from "../data-limits.ts";
import { type Mutable, isObject } from "./change-value.ts";
import { checkLength, forbiddenKey } from "./read-data.ts";

/** Options for parsing CSV. */
interface CsvOptions {
  /** One character. Default: detected. */
  readonly delimiter?: string | undefined;
  /** The first row names the columns. Default: true. */
  readonly header?: boolean | undefined;
  /** Converts numbers, true, false and empty cells to JSON values. Default: false, everything stays text. */
  readonly infer?: boolean | undefined;
}

/**
 * Parses CSV (RFC 4180): quoted cells with delimiters, line ends and doubled quotes, any line end, a byte order mark.
 * Returns objects by the names of the first row, or lists if there is no such row.
 *
 * @example
 * ```ts
 * parseCsv('name,note\nAnn,"a, b"'); // [{ name: "Ann", note: "a, b" }]
 * ```
 */
export function parseCsv(csv: string, options: CsvOptions = {}): unknown[] {
  checkLength(csv, "data");
  const text = csv.startsWith("\ufeff") ? csv.slice(1) : csv;
  const rows = readRows(text, options.delimiter ?? detectDelimiter(text));
  const read = options.infer === true ? inferred : (cell: string): unknown => cell;
  if (options.header === false) return rows.map((row) => row.map(read));
  const [first, ...rest] = rows;
  return first === undefined ? [] : toObjects(first, rest, read);
}

function toObjects(first: readonly string[], rows: readonly string[][], read: (cell: string) => unknown): Mutable[] {
  const names = columnNames(first);
  const budget = new OutputBudget(3 * dataLimits.nodes, "values");
  return rows.map((row) => {
    const object: Mutable = {};
    const columns = Math.max(names.length, row.length);
    // A wide first row and many short ones make more cells than there are characters.
    budget.spend(columns);
    for (let at = 0; at < columns; at++) setOwn(object, names[at] ?? `column_${at + 1}`, read(row[at] ?? ""));
    return object;
  });
}

/** Adds a number to missing or duplicate names. */
function columnNames(first: readonly string[]): string[] {
  const taken = new Set<string>();
  return first.map((cell, at) => {
    const name = cell.trim() === "" ? `column_${at + 1}` : cell.trim();
    if (name === "__proto__") throw forbiddenKey("data");
    let unique = name;
    for (let number = 2; taken.has(unique); number++) unique = `${name}_${number}`;
    taken.add(unique);
    return unique;
  });
}

/** Supported delimiters; the first is the default. */
const delimiters = [",", ";", "\t", "|"];

/** Returns the delimiter that splits the first lines into the largest equal number of columns. */
function detectDelimiter(text: string): string {
  const lines = text
    .slice(0, 20_000)
    .replaceAll(/"[^"]*"/g, "")
    .split(/\r\n|[\r\n]/)
    .filter((line) => line.trim() !== "")
    .slice(0, 20);
  const scores = delimiters.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const [first = 0] = counts;
    return counts.every((count) => count === first) ? first * 2 : Math.min(...counts);
  });
  const best = Math.max(0, ...scores);
  return best === 0 ? "," : (delimiters[scores.indexOf(best)] ?? ",");
}

/** Returns the cells of every row; empty rows are omitted. */
function readRows(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const budget = new OutputBudget(dataLimits.nodes, "values");
  while (at <= text.length) {
    const cell = readCell(text, at, delimiter);
    budget.spend(1);
    row.push(cell.value);
    at = cell.end + 1;
    if (text[cell.end] === delimiter) continue;
    if (text[cell.end] === "\r" && text[at] === "\n") at++;
    if (row.length > 1 || cell.quoted || cell.value !== "") rows.push(row);
    row = [];
  }
  return rows;
}

interface Cell {
  readonly value: string;
  /** Offset of the delimiter or line end after it. */
  readonly end: number;
  readonly quoted: boolean;
}

function readCell(text: string, start: number, delimiter: string): Cell {
  if (text[start] !== '"') {
    const end = cellEnd(text, start, delimiter);
    return { value: text.slice(start, end), end, quoted: false };
  }
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) throw unclosed(text, start);
    at = quote + 1;
    if (text[at] !== '"') break;
    at++;
  }
  const quoted = text.slice(start + 1, at - 1).replaceAll('""', '"');
  // Text between the closing quote and the delimiter belongs to the cell, as in most readers.
  const end = cellEnd(text, at, delimiter);
  return { value: quoted + text.slice(at, end).trimEnd(), end, quoted: true };
}

function cellEnd(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== "\n" && text[at] !== "\r") at++;
  return at;
}

function unclosed(text: string, start: number): Error {
  const line = text.slice(0, start).split(/\r\n|[\r\n]/).length;
  return dataFailure("bad_csv", `the quote that opens in line ${line} is never closed`, { parameter: "data" });
}

/** Converts a cell to the value that it clearly is; `007` and `1e999` stay texts. */
function inferred(cell: string): unknown {
  const text = cell.trim();
  if (text === "") return null;
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  if (text.length > 24 || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return cell;
  const value = Number(text);
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? value : cell;
}

/** Options for writing CSV. */
interface WriteCsvOptions {
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
  const columns = options.columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  // Every cell takes at least one character.
  new OutputBudget().spend(rows.length * columns.length);
  const head = options.header === false ? "" : line(columns);
  return head + rows.map((row) => line(columns.map((name) => (Object.hasOwn(row, name) ? row[name] : "")))).join("");
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
  return value == null ? "" : textOrJson(value);
}

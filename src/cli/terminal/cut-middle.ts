import { displayWidth, graphemes } from "../../text/index.ts";

/** Size of a terminal. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Share of the rows for the beginning, which says more than the end. */
const headShare = 2 / 3;

/**
 * The lines of a text if it fits; otherwise the rows of its beginning and end, with a line between them that `gap`
 * returns for the omitted part. Reads only as much as is shown. An escape such as `\n` in JSON is not split.
 */
export function cutMiddle(
  text: string,
  { columns, rows }: TerminalSize,
  gap: (left: string) => string,
): readonly string[] {
  const first: Row[] = [];
  for (const row of rowsOf(text, columns)) if (first.push(row) > rows) break;
  if (first.length <= rows) return text.split("\n");
  const head = first.slice(0, Math.max(1, Math.floor((rows - 1) * headShare)));
  const begun = head.at(-1)?.end ?? 0;
  const tailRows = Math.max(1, rows - 1 - head.length);
  const from = Math.max(begun, beforeEscape(text, text.length - columns * tailRows));
  const tail = [...rowsOf(text.slice(from), columns)].slice(-tailRows);
  const shown = tail.reduce((length, row) => length + row.text.length, 0);
  return [
    ...head.map((row) => row.text),
    gap(text.slice(begun, text.length - shown)),
    ...tail.map((row) => row.text.toWellFormed()),
  ];
}

/** Number of rows that a text takes, counted up to `rows`. */
export function countRows(text: string, { columns, rows }: TerminalSize): number {
  let count = 0;
  for (const _row of rowsOf(text, columns)) if (++count >= rows) break;
  return count;
}

interface Row {
  readonly text: string;
  /** Offset of the next row. */
  readonly end: number;
}

/** Splits a text into rows of a terminal. */
function* rowsOf(text: string, columns: number): Generator<Row, void, undefined> {
  let row = "";
  let width = 0;
  let at = 0;
  for (const character of unitsOf(text)) {
    const isEnd = character === "\n";
    const wide = isEnd ? 0 : displayWidth(character);
    if (isEnd || width + wide > columns) {
      yield { text: row, end: isEnd ? at + 1 : at };
      row = "";
      width = 0;
    }
    if (!isEnd) row += character;
    width += wide;
    at += character.length;
  }
  yield { text: row, end: at };
}

/** Units that are not split across rows: a character, or an escape. */
function* unitsOf(text: string): Generator<string, void, undefined> {
  let unit = "";
  for (const character of graphemes(text)) {
    unit += character;
    if (isIncomplete.test(unit)) continue;
    yield unit;
    unit = "";
  }
  if (unit !== "") yield unit;
}

/** An incomplete escape. */
const isIncomplete = /^\\(?:u[\da-f]{0,3})?$/i;

/** The position itself, or the start of the escape that contains it. */
function beforeEscape(text: string, position: number): number {
  const digits = /\\(u[\da-f]{0,3})$/i.exec(text.slice(Math.max(0, position - 5), position))?.[1] ?? "";
  let at = position - digits.length;
  while (text[at - 1] === "\\") at--;
  return at;
}

import { displayWidth, graphemes } from "../text/index.ts";

/** How much of a terminal there is. */
export interface Room {
  readonly columns: number;
  readonly rows: number;
}

/** How many of the rows are for the beginning, which says more than the end. */
const headShare = 2 / 3;

/**
 * The lines of a text where it fits; else the rows of its beginning and its end, with a line between them that `gap` makes of
 * what is left out. Only as much is looked at as is shown. An escape such as `\n` in JSON stays whole.
 */
export function cutMiddle(text: string, { columns, rows }: Room, gap: (left: string) => string): readonly string[] {
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

/** How many rows a text takes, counted no further than to `rows`. */
export function countRows(text: string, { columns, rows }: Room): number {
  let count = 0;
  for (const _row of rowsOf(text, columns)) if (++count >= rows) break;
  return count;
}

interface Row {
  readonly text: string;
  /** Where the next one begins. */
  readonly end: number;
}

/** The rows that a terminal makes of a text. */
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

/** What is shown on one row or not at all: a character, or an escape. */
function* unitsOf(text: string): Generator<string, void, undefined> {
  let unit = "";
  for (const character of graphemes(text)) {
    unit += character;
    if (isBegun.test(unit)) continue;
    yield unit;
    unit = "";
  }
  if (unit !== "") yield unit;
}

/** An escape of which more has to come. */
const isBegun = /^\\(?:u[\da-f]{0,3})?$/i;

/** The place itself, or before the escape in the middle of which it may be. */
function beforeEscape(text: string, place: number): number {
  const digits = /\\(u[\da-f]{0,3})$/i.exec(text.slice(Math.max(0, place - 5), place))?.[1] ?? "";
  let at = place - digits.length;
  while (text[at - 1] === "\\") at--;
  return at;
}

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
 * what is left out. Only as much is looked at as is shown.
 */
export function cutMiddle(text: string, { columns, rows }: Room, gap: (left: string) => string): readonly string[] {
  const first: Row[] = [];
  for (const row of rowsOf(text, columns)) if (first.push(row) > rows) break;
  if (first.length <= rows) return text.split("\n");
  const head = first.slice(0, Math.max(1, Math.floor((rows - 1) * headShare)));
  const begun = head.at(-1)?.end ?? 0;
  const tailRows = Math.max(1, rows - 1 - head.length);
  const from = Math.max(begun, text.length - columns * tailRows);
  const tail = [...rowsOf(text.slice(from), columns)].slice(-tailRows);
  const shown = tail.reduce((length, row) => length + row.text.length, 0);
  return [
    ...head.map((row) => row.text),
    gap(text.slice(begun, text.length - shown)),
    ...tail.map((row) => row.text.toWellFormed()),
  ];
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
  for (const character of graphemes(text)) {
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

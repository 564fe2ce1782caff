import type * as Yaml from "yaml";

/** Range of a part of a scalar's value in the text of the file, in UTF-16 units. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** One line of a scalar: the text it adds to the value, and the file offset of each unit of it. */
interface Piece {
  readonly text: string;
  /** The offset of each unit, and of the end. */
  readonly positions: readonly number[];
}

/**
 * Finds the units `offset` to `offset + length` of a scalar's value in the file. Quotes, escapes, indentation and
 * folded lines are accounted for; undefined if the value cannot be mapped. A part that spans several lines ends with
 * its first one.
 */
export function locateInside(
  scalar: Yaml.Scalar,
  source: string,
  part: { offset: number; length: number },
): OffsetRange | undefined {
  const { value, range, type } = scalar;
  if (typeof value !== "string" || !range || type === undefined) return undefined;
  const pieces = known.get(scalar) ?? piecesOf(source, { start: range[0], end: range[1] }, type);
  known.set(scalar, pieces);
  let from = 0;
  for (const piece of pieces) {
    const at = align(piece.text, value, from);
    if (at === undefined) return undefined;
    from = at + piece.text.length;
    if (part.offset < from || (part.offset === from && from === value.trimEnd().length))
      return stretch(piece, Math.max(0, part.offset - at), part.length);
  }
  return undefined;
}

/** A long text with many problems is split once. */
const known = new WeakMap<Yaml.Scalar, readonly Piece[]>();

function stretch({ text, positions }: Piece, first: number, length: number): OffsetRange {
  const start = positions[first] ?? 0;
  const end = positions[Math.min(text.length, first + length)] ?? start;
  return { start, end: Math.max(start, end) };
}

/**
 * Offset at which a line continues the value. Only white space lies between lines: folding creates it, chomping drops
 * it.
 */
function align(line: string, value: string, from: number): number | undefined {
  let at = from;
  while (!value.startsWith(line, at)) {
    if (!/\s/.test(value[at] ?? "")) return undefined;
    at++;
  }
  return at;
}

function piecesOf(source: string, { start, end }: OffsetRange, type: Yaml.Scalar.Type): Piece[] {
  switch (type) {
    case "BLOCK_LITERAL":
    case "BLOCK_FOLDED": {
      // The first line contains only the `|` or `>` with its indicators.
      const header = source.indexOf("\n", start);
      return header === -1 || header >= end ? [] : linesOf(source, header + 1, end).map((line) => plain(source, line));
    }
    case "QUOTE_SINGLE":
      return linesOf(source, start + 1, end - 1).map((line) => decoded(source, line, singleEscape));
    case "QUOTE_DOUBLE":
      return linesOf(source, start + 1, end - 1).map((line) => decoded(source, line, doubleEscape));
    default:
      return linesOf(source, start, end).map((line) => plain(source, line));
  }
}

/** The lines of a part of the file, without the white space around them, and without empty ones. */
function linesOf(source: string, start: number, end: number): OffsetRange[] {
  const lines: OffsetRange[] = [];
  for (let from = start; from < end;) {
    const found = source.indexOf("\n", from);
    const to = found === -1 ? end : Math.min(found, end);
    const line = source.slice(from, to);
    const first = from + line.length - line.trimStart().length;
    if (line.trim() !== "") lines.push({ start: first, end: first + line.trim().length });
    from = to + 1;
  }
  return lines;
}

function plain(source: string, { start, end }: OffsetRange): Piece {
  return {
    text: source.slice(start, end),
    positions: Array.from({ length: end - start + 1 }, (_, index) => start + index),
  };
}

/** Reads an escape that starts here: the text it represents, and its length. */
type ReadEscape = (source: string, at: number) => { readonly text: string; readonly length: number } | undefined;

function decoded(source: string, { start, end }: OffsetRange, read: ReadEscape): Piece {
  let text = "";
  const offsets: number[] = [];
  for (let at = start; at < end;) {
    const escape = read(source, at);
    const added = escape?.text ?? source[at] ?? "";
    for (let unit = 0; unit < added.length; unit++) offsets.push(at);
    text += added;
    at += escape?.length ?? 1;
  }
  return { text, positions: [...offsets, end] };
}

const singleEscape: ReadEscape = (source, at) => (source.startsWith("''", at) ? { text: "'", length: 2 } : undefined);

const doubleEscape: ReadEscape = (source, at) => {
  if (source[at] !== "\\") return undefined;
  const letter = source[at + 1] ?? "";
  const digits = codeLengths.get(letter);
  if (digits === undefined) return { text: letters.get(letter) ?? letter, length: 2 };
  const code = Number.parseInt(source.slice(at + 2, at + 2 + digits), 16);
  return { text: code <= 0x10ffff ? String.fromCodePoint(code) : "", length: 2 + digits };
};

const codeLengths: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

/** Meaning of escapes that do not stand for the character itself; at the end of a line a backslash only joins lines. */
const letters: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\u0007"],
  ["b", "\b"],
  ["e", "\u001b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["N", "\u0085"],
  ["_", "\u00a0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
  ["\n", ""],
  ["\r", ""],
]);

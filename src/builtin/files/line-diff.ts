/** A difference between two texts, for people and models to check. */
export interface LineDiff {
  /** Lines with `-`, `+` or a space in front, in groups that start with `@@ -line +line @@`. */
  readonly diff: string;
  /** True if the diff is incomplete. */
  readonly truncated: boolean;
}

/** Number of unchanged lines shown around a change. */
const around = 2;
const maxChars = 8_000;

/**
 * Number of characters of each text, from the first change on, that are compared line by line; more than can be shown.
 */
const comparedChars = 65_536;
const comparedLines = 1_000;

/** Number of characters of two texts that are compared at once. */
const windowChars = 65_536;

type Mark = " " | "-" | "+";
type Line = readonly [mark: Mark, text: string];

/**
 * Returns the lines in which two texts differ, with a little context. Equal parts at both ends are skipped, and of the
 * rest only as much is compared as can be shown: even texts of many megabytes take milliseconds.
 */
export function lineDiff(before: string, after: string): LineDiff {
  const head = lineStart(before, commonHead(before, after));
  const tail = commonTail(before.slice(head), after.slice(head));
  const old = firstLines(before.slice(head, before.length - tail), tail === 0);
  const now = firstLines(after.slice(head, after.length - tail), tail === 0);
  const cut = old.cut || now.cut;
  const compared = compare(old.lines, now.lines);
  const lead = linesBefore(before, head);
  const follow = tail === 0 ? [] : before.slice(before.length - tail).split("\n", around);
  const lines: Line[] = [
    ...lead.map(commonLine),
    ...(cut ? trimAfterLastCommon(compared) : [...compared, ...follow.map(commonLine)]),
  ];
  const first = countLineEnds(before, head) - lead.length + 1;
  const text = hunks(lines, first).join("\n");
  return { diff: text.slice(0, maxChars).toWellFormed(), truncated: cut || text.length > maxChars };
}

function commonHead(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at < limit && a.slice(at, at + windowChars) === b.slice(at, at + windowChars)) at += windowChars;
  while (at < limit && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return Math.min(at, limit);
}

/** Returns the length of the lines that both texts end with. */
function commonTail(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  const end = (text: string, from: number): string => text.slice(text.length - from - windowChars, text.length - from);
  let count = 0;
  while (count + windowChars <= limit && end(a, count) === end(b, count)) count += windowChars;
  while (count < limit && a.charCodeAt(a.length - 1 - count) === b.charCodeAt(b.length - 1 - count)) count++;
  const lineEnd = a.indexOf("\n", a.length - count);
  return lineEnd === -1 ? 0 : a.length - lineEnd - 1;
}

function countLineEnds(text: string, before: number): number {
  let count = 0;
  for (let at = 0; at < before; at++) if (text.charCodeAt(at) === 10) count++;
  return count;
}

/** Returns the start of the line that contains this offset. */
function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** Returns the context lines before one that begins here. */
function linesBefore(text: string, at: number): string[] {
  const lines: string[] = [];
  for (let end = at; end > 0 && lines.length < around;) {
    const start = lineStart(text, end - 1);
    lines.unshift(text.slice(start, end - 1));
    end = start;
  }
  return lines;
}

/** Returns the first lines of a part, which ends with the end of a line unless it is the end of its text. */
function firstLines(text: string, isEnd: boolean): { readonly lines: readonly string[]; readonly cut: boolean } {
  const lines = text.slice(0, comparedChars).split("\n", comparedLines + 1);
  const cut = text.length > comparedChars || lines.length > comparedLines;
  if (!cut && !isEnd) lines.pop();
  return { lines: lines.slice(0, comparedLines), cut };
}

/** Returns removed, added and unchanged lines, by the longest common subsequence. */
function compare(old: readonly string[], now: readonly string[]): Line[] {
  const common = commonLengths(old, now);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [was, is] = [old[i], now[j]];
    if (was !== undefined && was === is) {
      lines.push(commonLine(was));
      [i, j] = [i + 1, j + 1];
    } else if (was !== undefined && (is === undefined || common(i + 1, j) >= common(i, j + 1))) {
      lines.push(["-", was]);
      i++;
    } else {
      lines.push(["+", is ?? ""]);
      j++;
    }
  }
  return lines;
}

function commonLine(text: string): Line {
  return [" ", text];
}

/** Drops everything after the last common line: the comparison was cut there, and the rest may have the same lines. */
function trimAfterLastCommon(lines: readonly Line[]): readonly Line[] {
  const last = lines.findLastIndex(([mark]) => mark === " ");
  return last === -1 ? lines : lines.slice(0, last + 1);
}

/** Returns the lengths of the longest common subsequences of the rests from `i` and from `j`. */
function commonLengths(old: readonly string[], now: readonly string[]): (i: number, j: number) => number {
  const [left, right] = numbered(old, now);
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      lengths[i * width + j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}

/** Maps lines to numbers, equal for equal lines: long lines are then compared only once. */
function numbered(...texts: readonly [readonly string[], readonly string[]]): [number[], number[]] {
  const known = new Map<string, number>();
  const numberOf = (line: string): number => {
    const number = known.get(line) ?? known.size;
    known.set(line, number);
    return number;
  };
  return [texts[0].map(numberOf), texts[1].map(numberOf)];
}

/** Returns groups of changes with their context; `first` is the number of the first line in both texts. */
function hunks(lines: readonly Line[], first: number): string[] {
  const near = lines.map((_line, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(([mark]) => mark !== " "),
  );
  const result: string[] = [];
  let [old, now] = [first, first];
  for (const [at, [mark, text]] of lines.entries()) {
    if (near[at] === true) {
      if (near[at - 1] !== true) result.push(`@@ -${old} +${now} @@`);
      result.push(mark + text);
    }
    if (mark !== "+") old++;
    if (mark !== "-") now++;
  }
  return result;
}

/** A difference between two texts, for people and models to check. */
export interface LineDiff {
  /** Lines with `-`, `+` or a space in front, in groups that start with `@@ -line +line @@`. */
  readonly diff: string;
  /** The diff goes on. */
  readonly truncated: boolean;
}

/** Unchanged lines shown around a change. */
const around = 2;
const maxChars = 8_000;

/** The table for finding common lines may have so many cells; beyond, everything between the ends counts as changed. */
const maxCells = 1_000_000;

type Mark = " " | "-" | "+";
type Line = readonly [mark: Mark, text: string];

/** The lines in which two texts differ, with a little of what is around them. */
export function lineDiff(before: string, after: string): LineDiff {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const head = commonHead(old, now);
  const tail = commonTail(old, now, head);
  const middle = compare(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  const lead = Math.min(head, around);
  const lines: Line[] = [
    ...old.slice(head - lead, head).map((text): Line => [" ", text]),
    ...middle,
    ...old.slice(old.length - tail, old.length - tail + around).map((text): Line => [" ", text]),
  ];
  const text = hunks(lines, head - lead + 1).join("\n");
  return { diff: text.slice(0, maxChars).toWellFormed(), truncated: text.length > maxChars };
}

function commonHead(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

function commonTail(a: readonly string[], b: readonly string[], head: number): number {
  const most = Math.min(a.length, b.length) - head;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}

/** Removed, added and kept lines, by the longest common subsequence. */
function compare(old: readonly string[], now: readonly string[]): Line[] {
  if (old.length * now.length > maxCells) return [...old.map(removed), ...now.map(added)];
  const common = commonLengths(old, now);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [was, is] = [old[i], now[j]];
    if (was !== undefined && was === is) {
      lines.push([" ", was]);
      [i, j] = [i + 1, j + 1];
    } else if (was !== undefined && (is === undefined || common(i + 1, j) >= common(i, j + 1))) {
      lines.push(removed(was));
      i++;
    } else {
      lines.push(added(is ?? ""));
      j++;
    }
  }
  return lines;
}

function removed(text: string): Line {
  return ["-", text];
}

function added(text: string): Line {
  return ["+", text];
}

/** How many lines the rests from `i` and from `j` on have in common, in order. */
function commonLengths(old: readonly string[], now: readonly string[]): (i: number, j: number) => number {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      lengths[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}

/** Groups of changes with what is around them; `first` is the number of the first line in both texts. */
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

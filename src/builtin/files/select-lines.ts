import { refuseEdit } from "./file-tool-reasons.ts";

/** Which lines of a text to show. */
export interface LineRange {
  /** 1 is the first line; -1 the last one. */
  readonly start: number;
  /** The last line, included; the end of the text where absent. */
  readonly end: number | undefined;
  readonly numbered: boolean;
  /** Longer content is cut, after a whole line where that is possible. */
  readonly maxChars: number;
}

/** Some lines of a text. */
export interface SelectedLines {
  readonly content: string;
  readonly start: number;
  /** The last line that is shown, at least in part. */
  readonly end: number;
  readonly total: number;
  /** Where to go on, when lines of the range did not fit. */
  readonly next: number | undefined;
  /** The last line is longer than what may be shown. */
  readonly cutLine: boolean;
}

/** Picks lines of a text. Their own line ends stay as they are. */
export function selectLines(text: string, range: LineRange): SelectedLines {
  const lines = text.split("\n");
  // The end of the last line begins no new one.
  if (lines.at(-1) === "") lines.pop();
  const total = lines.length;
  const [first, last] = boundsOf(range, total);
  const picked = lines.slice(first - 1, last).map((line, at) => (range.numbered ? `${first + at}\t${line}` : line));
  const { fitted, chars } = fit(picked, range.maxChars);
  if (fitted === picked.length) {
    const ended = last === total && picked.length > 0 && text.endsWith("\n");
    const content = picked.join("\n") + (ended ? "\n" : "");
    return { content, start: first, end: last, total, next: undefined, cutLine: false };
  }
  const cutLine = fitted === 0;
  const content = cutLine
    ? (picked[0] ?? "").slice(0, range.maxChars).toWellFormed()
    : picked.join("\n").slice(0, chars);
  const end = first + Math.max(fitted, 1) - 1;
  return { content, start: first, end, total, next: end < last ? end + 1 : undefined, cutLine };
}

/** The first and the last line of a range, as numbers from 1. */
function boundsOf({ start, end = -1 }: LineRange, total: number): [first: number, last: number] {
  const first = start < 0 ? Math.max(1, total + start + 1) : start;
  const last = Math.min(end < 0 ? total + end + 1 : end, total);
  if (start === 0 || (first > total && total > 0)) {
    throw refuseEdit("bad_range", `there is no line ${start}; the text has ${total} lines, counted from 1`);
  }
  if (last < first && total > 0) throw refuseEdit("bad_range", `line ${end} comes before line ${start}`);
  return [first, last];
}

/** How many lines fit, and how long they are with the line ends between them. */
function fit(lines: readonly string[], maxChars: number): { fitted: number; chars: number } {
  let chars = -1;
  for (const [at, line] of lines.entries()) {
    if (chars + 1 + line.length > maxChars) return { fitted: at, chars };
    chars += 1 + line.length;
  }
  return { fitted: lines.length, chars };
}

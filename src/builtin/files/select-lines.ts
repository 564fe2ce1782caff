import type { EventLoopYielder } from "../../base/index.ts";
import { fileToolFailure } from "./file-tool-reasons.ts";
import { afterLineEnds, countLineEnds } from "./line-ends.ts";

/** The lines of a text to show. */
export interface LineRange {
  /** 1 is the first line; -1 the last one. */
  readonly start: number;
  /** The last line, inclusive. Default: the end of the text. */
  readonly end: number | undefined;
  readonly numbered: boolean;
  /** Longer content is cut, after a whole line if possible. */
  readonly maxChars: number;
}

/** Some lines of a text. */
export interface SelectedLines {
  readonly content: string;
  readonly start: number;
  /** The last line that is shown, at least in part. */
  readonly end: number;
  readonly total: number;
  /** First line of the range that did not fit. */
  readonly next: number | undefined;
  /** True if the last line is longer than what may be shown. */
  readonly cutLine: boolean;
}

/** Selects lines of a text. Their line ends are unchanged. */
export async function selectLines(text: string, range: LineRange, yielder: EventLoopYielder): Promise<SelectedLines> {
  // A line end after the last line does not begin a new one.
  const total = (await countLineEnds(text, text.length, yielder)) + (text === "" || text.endsWith("\n") ? 0 : 1);
  const [first, last] = boundsOf(range, total);
  const from = await afterLineEnds(text, first - 1, yielder);
  const picked = pick(text.slice(from), { range, first, last });
  const facts = { start: first, total };
  if (picked.length === last - first + 1) {
    const ended = last === total && picked.length > 0 && text.endsWith("\n");
    const content = picked.join("\n") + (ended ? "\n" : "");
    return { ...facts, content, end: last, next: undefined, cutLine: false };
  }
  const end = first + Math.max(picked.length, 1) - 1;
  const next = end < last ? end + 1 : undefined;
  if (picked.length > 0) return { ...facts, content: picked.join("\n"), end, next, cutLine: false };
  const part = text.slice(from, from + range.maxChars);
  const content = (range.numbered ? `${first}\t${part}` : part).slice(0, range.maxChars).toWellFormed();
  return { ...facts, content, end, next, cutLine: true };
}

/** Returns the lines from the beginning of the text, as many as fit. */
function pick(
  text: string,
  {
    range: { numbered, maxChars },
    first,
    last,
  }: { readonly range: LineRange; readonly first: number; readonly last: number },
): string[] {
  const picked: string[] = [];
  let [at, chars] = [0, -1];
  for (let number = first; number <= last; number++) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end === -1 ? text.length : end);
    const shown = numbered ? `${number}\t${line}` : line;
    chars += 1 + shown.length;
    if (chars > maxChars) break;
    picked.push(shown);
    at += line.length + 1;
  }
  return picked;
}

/** Returns the first and the last line of a range, as numbers from 1. */
function boundsOf({ start, end = -1 }: LineRange, total: number): [first: number, last: number] {
  const first = start < 0 ? Math.max(1, total + start + 1) : start;
  const last = Math.min(end < 0 ? total + end + 1 : end, total);
  if (start === 0 || (first > total && total > 0)) {
    throw fileToolFailure("bad_range", `there is no line ${start}; the text has ${total} lines, counted from 1`);
  }
  if (last < first && total > 0) throw fileToolFailure("bad_range", `line ${end} comes before line ${start}`);
  return [first, last];
}

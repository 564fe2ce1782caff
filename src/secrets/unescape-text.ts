import type { SecretSpan } from "./find-secrets.ts";

/** A text without escapes and line breaks, with a way back to the original. */
export interface UnescapedText {
  readonly text: string;
  /** Returns the span of the original; undefined for a short match that only a removed line break made. */
  toOriginal(span: SecretSpan): SecretSpan | undefined;
}

/** A replaced part: where it was in the original, and its offset and length in the result. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly at: number;
  readonly length: number;
}

/** Text without any of these has nothing to replace. */
const mayHold = /[\r\n]|\\[urn]|&(?:amp;|#)/i;

/**
 * `\u003c`, `&#60;`, `&#x3c;` and line breaks with the indentation after them, written as such or as `\n`; all of them
 * also escaped once more. Every repetition is bounded, so that no text makes matching quadratic.
 */
const escapes =
  /\\{1,8}u([\da-f]{4})|&(?:amp;){0,3}#(?:x([\da-f]{1,6})|(\d{1,7}));|(?:(?:[\r\n]|\\{1,8}[rn])[ \t]{0,200}){1,100}/gi;

/** A shorter match over a line break may be two values in two lines. */
const shortestJoined = 8;

/** Undoes escapes and line breaks that could hide a secret; undefined if there are none. */
export function unescapeText(text: string): UnescapedText | undefined {
  if (!mayHold.test(text)) return undefined;
  const edits: Edit[] = [];
  let plain = "";
  let from = 0;
  for (const match of text.matchAll(escapes)) {
    const [whole, unit, hex, decimal] = match;
    const code = Number.parseInt(unit ?? hex ?? decimal ?? "", decimal === undefined ? 16 : 10);
    const decoded = Number.isNaN(code) ? "" : charOf(code);
    plain += text.slice(from, match.index);
    edits.push({ start: match.index, end: match.index + whole.length, at: plain.length, length: decoded.length });
    plain += decoded;
    from = match.index + whole.length;
  }
  if (edits.length === 0) return undefined;
  return {
    text: plain + text.slice(from),
    toOriginal: ([start, end]) => {
      const first = lastEdit(edits, (edit) => edit.at <= start);
      const last = lastEdit(edits, (edit) => edit.at < end);
      if (end - start < shortestJoined && joinsLines(edits, first, last, start)) return undefined;
      return [originalStart(edits[first], start), originalEnd(edits[last], end)];
    },
  };
}

function charOf(code: number): string {
  return code > 0x10ffff ? "" : String.fromCodePoint(code);
}

/** Index of the last edit that fulfils a condition which all earlier ones fulfil too; -1 if none does. */
function lastEdit(edits: readonly Edit[], fulfils: (edit: Edit) => boolean): number {
  let low = -1;
  for (let high = edits.length - 1; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    const edit = edits[middle];
    if (edit !== undefined && fulfils(edit)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function joinsLines(edits: readonly Edit[], first: number, last: number, start: number): boolean {
  return edits.slice(Math.max(first, 0), last + 1).some(({ at, length }) => length === 0 && at > start);
}

function originalStart(edit: Edit | undefined, offset: number): number {
  if (edit === undefined) return offset;
  const beyond = offset - edit.at - edit.length;
  // Inside of what was decoded: the whole escape.
  return beyond < 0 ? edit.start : edit.end + beyond;
}

function originalEnd(edit: Edit | undefined, offset: number): number {
  if (edit === undefined) return offset;
  return edit.end + Math.max(0, offset - edit.at - edit.length);
}

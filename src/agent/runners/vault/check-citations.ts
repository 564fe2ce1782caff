import { codeMask } from "../notes/prose-mask.ts";

/** An answer, and what it cites. */
export interface CheckedAnswer {
  readonly text: string;
  /** The numbers of the notes that it cites, in their order. */
  readonly cited: readonly number[];
  /** What looks like a citation, and names no note; it was left where it is. */
  readonly unknown: readonly string[];
}

/** `[1]`, `[2, 3]`, `[1-3]`, `[^1]` and `【1】`. */
const citation =
  /\[\^?(\d{1,4}(?:\s*[,，、;–-]\s*\^?\d{1,4})*)\]|【\^?(\d{1,4}(?:\s*[,，、;–-]\s*\d{1,4})*)(?:†[^】]{0,80})?】/gu;
/** A range of more is none. */
const widest = 50;

/**
 * Finds the citations in an answer. Nothing that it says is changed, save that `【1】` becomes `[1]`: numbers in brackets
 * may be an interval, an index or a year as well, and nobody but the reader can tell.
 */
export function checkCitations(answer: string, isKnown: (number: number) => boolean): CheckedAnswer {
  const mask = codeMask(answer);
  const cited = new Set<number>();
  const unknown = new Set<string>();
  const text = answer.replaceAll(citation, (whole: string, plain: string | undefined, ...found: unknown[]) => {
    const [wide, at] = found as [string | undefined, number];
    if (mask.isShown(at) || isOther(answer, at, at + whole.length)) return whole;
    const numbers = numbersIn(plain ?? wide ?? "");
    if (numbers.every(isKnown)) {
      for (const number of numbers) cited.add(number);
      return plain === undefined ? numbers.map((number) => `[${number}]`).join("") : whole;
    }
    if (!isInterval(numbers) && !isIndex(answer, at)) unknown.add(whole);
    return whole;
  });
  return { text, cited: [...cited].toSorted((a, b) => a - b), unknown: [...unknown] };
}

/** A link, what defines one, a part of a list of lists, or the value of something. */
function isOther(text: string, start: number, end: number): boolean {
  const after = text[end] ?? "";
  const before = text.slice(Math.max(0, start - 3), start);
  if (after === "(" || after === "]" || /\[$|[=∈∉⊂⊆×]\s*$/u.test(before)) return true;
  return after === ":" && (start === 0 || text[start - 1] === "\n");
}

/** No note has the number 0, and none has that of a year. */
function isInterval(numbers: readonly number[]): boolean {
  return numbers.some((number) => number === 0 || number > 999);
}

/** `items[7]`: what stands behind a name or a number may be a place in it. Scripts without spaces have no such names. */
function isIndex(text: string, at: number): boolean {
  const before = text[at - 1] ?? "";
  return /[\p{L}\p{N}_)]/u.test(before) && !/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(before);
}

function numbersIn(list: string): number[] {
  return list.split(/[,，、;]/u).flatMap((part) => {
    const [first = 0, last = first] = part.split(/[–-]/u).map((one) => Number(one.replace("^", "")));
    if (last < first || last - first > widest) return [first, last];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

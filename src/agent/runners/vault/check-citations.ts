import { codeMask } from "../notes/prose-mask.ts";

/** An answer with its citations. */
export interface CheckedAnswer {
  readonly text: string;
  /** The numbers of the notes that it cites, in their order. */
  readonly cited: readonly number[];
  /** Text like a citation that matches no note; it stays in the answer. */
  readonly unknown: readonly string[];
}

/** `[1]`, `[2, 3]`, `[1-3]`, `[^1]` and `【1】`. */
const citation =
  /\[\^?(\d{1,4}(?:\s*[,，、;–-]\s*\^?\d{1,4})*)\]|【\^?(\d{1,4}(?:\s*[,，、;–-]\s*\d{1,4})*)(?:†[^】]{0,80})?】/gu;
/** A wider range is not a citation. */
const widest = 50;

interface CitationMatch {
  readonly at: number;
  readonly whole: string;
  readonly numbers: readonly number[];
  /** It directly follows a word or a number. */
  readonly isAttached: boolean;
}

/**
 * Finds the citations in an answer. Its text stays unchanged, except that `【1】` becomes `[1]`: numbers in brackets may
 * also be an interval, an index or a year, and those are not citations.
 */
export function checkCitations(answer: string, isKnown: (number: number) => boolean): CheckedAnswer {
  const isCitedBy = ({ numbers }: CitationMatch): boolean => numbers.every(isKnown);
  const found = citationsIn(answer);
  // `items[7]` is an index, unless all citations of an answer look like that.
  const isApart = found.some((one) => !one.isAttached && isCitedBy(one));
  const resolved = found.filter(({ isAttached }) => !(isAttached && isApart));
  const known = resolved.filter(isCitedBy);
  const unknown = resolved.filter((one) => !isCitedBy(one) && !one.isAttached && !one.numbers.some(isNoNote));
  let text = "";
  let from = 0;
  for (const { at, whole, numbers } of known) {
    if (!whole.startsWith("【")) continue;
    text += answer.slice(from, at) + numbers.map((number) => `[${number}]`).join("");
    from = at + whole.length;
  }
  return {
    text: text + answer.slice(from),
    cited: [...new Set(known.flatMap(({ numbers }) => numbers))].toSorted((a, b) => a - b),
    unknown: [...new Set(unknown.map(({ whole }) => whole))],
  };
}

function citationsIn(answer: string): CitationMatch[] {
  const mask = codeMask(answer);
  const found: CitationMatch[] = [];
  for (const { 0: whole, 1: plain, 2: wide = "", index: at } of answer.matchAll(citation)) {
    if (mask.isQuoted(at) || isOther(answer, at, at + whole.length)) continue;
    const numbers = numbersIn(plain ?? wide);
    if (plain !== undefined && isInterval(answer, at, plain)) continue;
    found.push({ at, whole, numbers, isAttached: plain !== undefined && isAttached(answer, at) });
  }
  return found;
}

/** A link, a link definition, part of a nested list, or the value of something. */
function isOther(text: string, start: number, end: number): boolean {
  const after = text[end] ?? "";
  const before = text.slice(Math.max(0, start - 3), start);
  if (after === "(" || after === "]" || /\[$|[=∈∉⊂⊆×]\s*$/u.test(before)) return true;
  return after === ":" && (start === 0 || text[start - 1] === "\n");
}

/** No note has the number 0, nor that of a year. */
function isNoNote(number: number): boolean {
  return number === 0 || number > 999;
}

const bounds =
  /\b(?:ranges?|intervals?|between|within|domain|bounds?|from|in)\s*$|(?:区间|范围|取值|介于|属于)(?:为|是|在|内)?\s*$/iu;
const refers =
  /\b(?:see|as|also|cited|described|documented|explained|found|given|listed|mentioned|noted|recorded|said|seen|shown|stated|written|wrote)\s+in\s*$/iu;

/** Two numbers after words such as "in the range". */
function isInterval(text: string, at: number, list: string): boolean {
  if (!/^\d+\s*[,，–-]\s*\d+$/u.test(list)) return false;
  const before = text.slice(Math.max(0, at - 40), at);
  return bounds.test(before) && !refers.test(before);
}

/** In scripts without spaces, the character before is not the name of an indexed value. */
function isAttached(text: string, at: number): boolean {
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

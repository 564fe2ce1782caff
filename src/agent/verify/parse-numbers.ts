import { isIdle } from "./token-similarity.ts";

/** A number in a text. */
export interface ParsedNumber {
  readonly value: number;
  /** Value of the last written digit. */
  readonly unit: number;
  readonly at: number;
  readonly end: number;
  /** It looks like a year. */
  readonly isYear: boolean;
  /** It names a thing, as in `Mill 2`, `no. 2` and `2号`. */
  readonly isLabel: boolean;
}

const number = /(?<![\d.,\p{Script=Latin}])([-−]?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![\d])/gu;

/** Suffixes of a number that multiply it. */
const scales: readonly (readonly [RegExp, number])[] = [
  [/^\s?(?:thousand\b|千)/i, 1e3],
  [/^\s?(?:million\b|百万)/i, 1e6],
  [/^\s?(?:billion\b|十亿)/i, 1e9],
  [/^\s?亿/, 1e8],
  [/^\s?万(?!一)/, 1e4],
];

/** The numbers of a text in their order, with their multipliers: `1.2 million`, `3万`. */
export function numbersIn(text: string): ParsedNumber[] {
  return [...text.matchAll(number)].map((found) => {
    const [whole, sign = "", digits = "", decimals = ""] = found;
    const end = found.index + whole.length;
    const rest = text.slice(end, end + 12);
    const scale = scales.find(([word]) => word.test(rest))?.[1] ?? 1;
    const value = Number(digits.replaceAll(",", "") + decimals) * scale * (sign === "" ? 1 : -1);
    const unit = scale / 10 ** Math.max(0, decimals.length - 1);
    const before = text.slice(0, found.index);
    const isLabel = /^\d+$/.test(whole) && labels(before, rest);
    return { value, unit, at: found.index, end, isYear: isYear(whole, before, rest), isLabel };
  });
}

function isYear(written: string, before: string, after: string): boolean {
  if (!/^[12]\d{3}$/.test(written)) return false;
  return /^\s?年/.test(after) || /(?:\b(?:in|since|until|by|from|to|year|of|around)|[在自于到])\s*$/i.test(before);
}

/** True if a number between these texts is a name: `no. 2`, `第2座`, or a noun before it and a verb after it. */
function labels(before: string, after: string): boolean {
  if (/(?:[#№第]|\b(?:no|nr|number)\.?)\s*$/i.test(before) || /^\s?号/.test(after)) return true;
  const [, noun = ""] = /(\p{L}+)\s$/u.exec(before) ?? [];
  return noun !== "" && !isIdle(noun.toLowerCase()) && /^\s(?:is|was|are|were|has|had|have|will|can)\b/.test(after);
}

/** True if the numbers are equal at the precision of the less precise one. */
export function isSameNumber(one: ParsedNumber, other: ParsedNumber): boolean {
  const coarser = Math.max(one.unit, other.unit);
  const gap = Math.abs(one.value - other.value);
  return gap <= (one.unit === other.unit ? 0 : coarser / 2) + Math.abs(one.value) * 1e-9;
}

/** A number of a text. */
export interface FoundNumber {
  readonly value: number;
  /** The last digit that was written counts so much. */
  readonly unit: number;
  readonly at: number;
  readonly end: number;
  /** A year, as far as one can tell. */
  readonly isYear: boolean;
}

const number = /(?<![\d.,\p{Script=Latin}])([-−]?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![\d])/gu;

/** What stands behind a number and multiplies it. */
const scales: readonly (readonly [RegExp, number])[] = [
  [/^\s?(?:thousand\b|千)/i, 1e3],
  [/^\s?(?:million\b|百万)/i, 1e6],
  [/^\s?(?:billion\b|十亿)/i, 1e9],
  [/^\s?亿/, 1e8],
  [/^\s?万(?!一)/, 1e4],
];

/** The numbers of a text in their order, with what multiplies them: `1.2 million`, `3万`. */
export function numbersIn(text: string): FoundNumber[] {
  return [...text.matchAll(number)].map((found) => {
    const [whole, sign = "", digits = "", decimals = ""] = found;
    const end = found.index + whole.length;
    const rest = text.slice(end, end + 12);
    const scale = scales.find(([word]) => word.test(rest))?.[1] ?? 1;
    const value = Number(digits.replaceAll(",", "") + decimals) * scale * (sign === "" ? 1 : -1);
    const unit = scale / 10 ** Math.max(0, decimals.length - 1);
    return { value, unit, at: found.index, end, isYear: isYear(whole, text.slice(0, found.index), rest) };
  });
}

function isYear(written: string, before: string, after: string): boolean {
  if (!/^[12]\d{3}$/.test(written)) return false;
  return /^\s?年/.test(after) || /(?:\b(?:in|since|until|by|from|to|year|of|around)|[在自于到])\s*$/i.test(before);
}

/** The same, as far as the coarser of the two was written. */
export function isSameNumber(one: FoundNumber, other: FoundNumber): boolean {
  const coarser = Math.max(one.unit, other.unit);
  const gap = Math.abs(one.value - other.value);
  return gap <= (one.unit === other.unit ? 0 : coarser / 2) + Math.abs(one.value) * 1e-9;
}

import { proseMask } from "../notes/prose-mask.ts";

/** An answer whose citations are all of sources that there are. */
export interface CheckedAnswer {
  readonly text: string;
  /** The numbers of the sources that it cites, in their order. */
  readonly cited: readonly number[];
  /** Citations of nothing, which were taken out. */
  readonly removed: readonly string[];
}

/** `[1]`, `[2, 3]`, `[1-3]`, `[^1]` and `【1】`; not `[1](…)`, which is a link, nor `[1]:`, which defines one. */
const citation =
  /(\s?)(?:\[\^?(\d{1,3}(?:\s*[,，、;–-]\s*\^?\d{1,3})*)\](?![(:])|【\^?(\d{1,3}(?:\s*[,，、;–-]\s*\d{1,3})*)(?:†[^】]{0,80})?】)/gu;
/** A range of more is none. */
const widest = 50;

/** Takes out of an answer the citations that name no source; what it shows as code is left alone. */
export function checkCitations(answer: string, count: number): CheckedAnswer {
  const mask = proseMask(answer);
  const cited = new Set<number>();
  const removed: string[] = [];
  const text = answer.replaceAll(citation, (whole: string, blank: string, ...found: unknown[]) => {
    const [plain, wide] = found as [string | undefined, string | undefined];
    const at = found.find((one) => typeof one === "number") ?? 0;
    if (mask.isShown(at + blank.length)) return whole;
    const numbers = numbersIn(plain ?? wide ?? "");
    const known = numbers.filter((number) => number >= 1 && number <= count);
    for (const number of known) cited.add(number);
    if (known.length === numbers.length) return plain === undefined ? blank + inBrackets(known) : whole;
    removed.push(whole.trim());
    return known.length === 0 ? "" : blank + inBrackets(known);
  });
  return { text: removed.length === 0 ? text : text.trim(), cited: [...cited].toSorted((a, b) => a - b), removed };
}

function inBrackets(numbers: readonly number[]): string {
  return numbers.map((number) => `[${number}]`).join("");
}

function numbersIn(list: string): number[] {
  return list.split(/[,，、;]/u).flatMap((part) => {
    const [first = 0, last = first] = part.split(/[–-]/u).map((one) => Number(one.replace("^", "")));
    if (last < first || last - first > widest) return [first, last];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

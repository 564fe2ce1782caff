import { compileExpression } from "../../expr/index.ts";
import { numbersIn } from "./parse-numbers.ts";
import type { VerificationIssue } from "./verification.ts";

const equals = /[=＝]|\bequals\b|等于/gi;
/** Maximum length of text to check before an equals sign. */
const maxSideLength = 120;
const sum = /[\d\s.,+\-−*×·÷/()%％]+$/;
const maxCount = 100;

/** Finds calculations in a text, such as `2 + 2 = 5`, that are wrong. */
export function checkArithmetic(text: string): VerificationIssue[] {
  const issues: VerificationIssue[] = [];
  let seen = 0;
  for (const found of text.matchAll(equals)) {
    if (++seen > maxCount) break;
    const claim = claimAt(text, found.index, found.index + found[0].length);
    if (claim === undefined || comesOut(claim)) continue;
    const quote = text.slice(found.index - claim.sum.length, claim.end).trim();
    const value = Number(claim.value.toPrecision(12));
    const message = `"${quote}" is wrong: ${claim.sum.trim()} is ${value}`;
    issues.push({ kind: "arithmetic", severity: "error", message, quote });
  }
  return issues;
}

interface Claim {
  readonly sum: string;
  /** Correct value. */
  readonly value: number;
  /** Value that the text claims. */
  readonly claimed: number;
  /** Tolerance: written values are rounded. */
  readonly slack: number;
  readonly end: number;
}

function claimAt(text: string, at: number, after: number): Claim | undefined {
  const written = sumBefore(text.slice(Math.max(0, at - maxSideLength), at));
  const value = written === undefined ? undefined : evaluated(written);
  if (written === undefined || value === undefined) return undefined;
  const rest = text.slice(after, after + 40);
  const [lead = ""] = /^\s*(?:about|around|roughly|approximately|约|大约|≈|~)?\s*/i.exec(rest) ?? [];
  const number = numbersIn(rest.slice(lead.length))[0];
  if (number === undefined || number.at !== 0) return undefined;
  const behind = rest.slice(lead.length + number.end);
  // A longer calculation, or a division with remainder, cannot be compared.
  if (/^\s*(?:[+*×·÷/^]|[-−]\s*\d|remainder|余|r\d|r \d|\(|e[+-]?\d)/i.test(behind)) return undefined;
  const share = /^\s*[%％]/.test(behind) && !/[%％]/.test(written) ? 100 : 1;
  const rounded = lead.trim() === "" ? 0 : Math.abs(value) / 100;
  return {
    sum: written,
    value,
    claimed: number.value / share,
    slack: number.unit / 2 / share + rounded + Math.abs(value) * 1e-9,
    end: after + lead.length + number.end,
  };
}

function comesOut({ value, claimed, slack }: Claim): boolean {
  return Math.abs(value - claimed) <= slack;
}

/** The calculation at the end of a text. */
function sumBefore(text: string): string | undefined {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  const isWhole = line.length < text.length || text.length < maxSideLength;
  // The marker or number of a list item is not part of it.
  const [found = ""] = sum.exec(isWhole ? line.replace(/^\s*(?:[-*+•]\s+|\d+[.)]\s+)/, "") : line) ?? [];
  const last = found.split(/,\s|\s{2,}/).at(-1) ?? "";
  const trimmed = last.replace(/^[\s.,*×·÷/)]+/, "");
  return /\d\s*[)%％]?\s*[-+−*×·÷/]\s*[-−(]*\s*\d/.test(trimmed) ? trimmed : undefined;
}

/** Value of a calculation; undefined if it is not one: a date, a telephone number, a version. */
function evaluated(written: string): number | undefined {
  if (/\d\s+\d|\b0\d|\d-\d+-\d|\d\/\d+\/\d{4}/.test(written)) return undefined;
  const plain = written
    .replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, "")
    .replaceAll("−", "-")
    .replaceAll(/[×·]/g, "*")
    .replaceAll("÷", "/")
    .replaceAll(/(\d+(?:\.\d+)?)\s*[%％]/g, "($1 / 100)")
    .replaceAll(/[-+*/]/g, " $& ");
  try {
    const value = compileExpression(plain).evaluate({});
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

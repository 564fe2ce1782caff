import { checkArithmetic } from "./check-arithmetic.ts";
import { type EarlierResult, checkConsistency } from "./check-consistency.ts";
import { checkRanges } from "./check-ranges.ts";
import { checkTimes } from "./check-times.ts";
import { type Verification, type VerificationIssue, verdict } from "./verification.ts";

/** What is known besides the result itself. */
export interface VerifyOptions {
  /** Results that it must not contradict. */
  readonly earlier?: readonly EarlierResult[];
  /** It has to be, or to hold, a date or a time. */
  readonly expects?: "time";
}

/** More of a result, and of those before it, is not looked at. */
const longest = 20_000;
const longestEarlier = 4000;
const mostEarlier = 20;
const mostIssues = 20;

/**
 * Checks a result by rule, without a model: whether it contradicts those before it (sentences that speak of the same
 * thing, by Jaccard over their words, and differ in a number or a denial), whether its percentages, probabilities,
 * counts, dates, times and calculations can be. What it does not find may be wrong all the same.
 *
 * @example
 * ```ts
 * verifyResult("It is 25:61, and 2 + 2 = 5.");
 * // { verified: false, confidence: 0.4, issues: [{ kind: "arithmetic", … }, { kind: "time", … }] }
 * ```
 */
export function verifyResult(text: string, options: VerifyOptions = {}): Verification {
  const { earlier = [], expects } = options;
  const read = text.slice(0, longest);
  if (read.trim() === "") return verdict([nothing]);
  const before = earlier
    .slice(-mostEarlier)
    .map((result) => ({ ...result, text: result.text.slice(0, longestEarlier) }));
  const issues = [
    ...checkConsistency(read, before),
    ...checkRanges(read),
    ...checkArithmetic(read),
    ...checkTimes(read, expects === "time"),
  ];
  return verdict(issues.slice(0, mostIssues));
}

const nothing: VerificationIssue = { kind: "empty", severity: "error", message: "it says nothing", quote: "" };

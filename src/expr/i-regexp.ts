import { isFailureError } from "../base/index.ts";
import { type Pattern, compilePattern } from "../schema/index.ts";
import { ExpressionError } from "./expression-error.ts";
import { spendTicks } from "./evaluation-frame.ts";
import type { SelectRun } from "./select-filter.ts";

/** A pattern of `match()` or `search()`, which tests texts in linear time. */
export type TextTest = Pattern;

/**
 * Compiles an I-Regexp (RFC 9485): `match` tests the whole text, `search` any part of it. Undefined for an invalid
 * pattern, which by the standard matches nothing. Throws `select_refused` for a pattern that is too large.
 */
export function compileTextTest(pattern: string, name: "match" | "search"): TextTest | undefined {
  const translated = translate(pattern);
  if (translated === undefined) return undefined;
  try {
    return compilePattern(name === "match" ? `^(?:${translated})$` : translated);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    throw new ExpressionError("select_refused", error.message, { at: 0, end: 0, hint: "write a smaller pattern" });
  }
}

/** Steps of the matcher per tick. */
const stepsPerTick = 4;

/** True if the text matches; false for a value that is not text. */
export function testText(test: TextTest | undefined, text: unknown, { frame, span }: SelectRun): boolean {
  if (test === undefined || typeof text !== "string") return false;
  spendTicks(frame, 1 + Math.ceil((text.length * test.stepsPerCharacter) / stepsPerTick), span);
  return test.test(text);
}

const escape = String.raw`\\[()*+\-.?[\\\]^nrt{|}]`;
const category = String.raw`\\[pP]\{(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|Z[lps]?|S[ckmo]?|C[cfno]?)\}`;
const member = String.raw`(?:[^-[\\\]]|${escape})`;
const characterClass = String.raw`\[\^?(?:-|${member}-${member}|${member}|${category})(?:${member}-${member}|${member}|${category})*-?\]`;
const quantifier = String.raw`[*+?]|\{\d+(?:,\d*)?\}`;

/** One piece of a pattern. `^` and `$` are literal characters in the grammar, and the ends of the text in practice. */
const piece = new RegExp(
  String.raw`(?<dot>\.)|(?<atom>[^()*+.?[\\\]{|}\p{Cs}]|${escape}|${category}|${characterClass})|(?<open>\()|(?<close>\))|(?<bar>\|)|(?<times>${quantifier})`,
  "uy",
);

/** The pattern as the matcher writes it, or undefined if it is not an I-Regexp. */
function translate(pattern: string): string | undefined {
  let translated = "";
  let depth = 0;
  /** Something that a quantifier may follow comes right before. */
  let repeatable = false;
  for (let at = 0; at < pattern.length; at = piece.lastIndex) {
    piece.lastIndex = at;
    const groups = piece.exec(pattern)?.groups;
    if (groups === undefined) return undefined;
    const text = pattern.slice(at, piece.lastIndex);
    if (groups["times"] !== undefined && !repeatable) return undefined;
    if (groups["open"] !== undefined) depth++;
    if (groups["close"] !== undefined && --depth < 0) return undefined;
    repeatable = (groups["dot"] ?? groups["atom"] ?? groups["close"]) !== undefined;
    translated += written(groups, text);
  }
  return depth === 0 ? translated : undefined;
}

function written(groups: Readonly<Record<string, string | undefined>>, text: string): string {
  // The matcher's dot fits a carriage return, this one does not.
  if (groups["dot"] !== undefined) return String.raw`[^\n\r]`;
  return groups["open"] === undefined ? text : "(?:";
}

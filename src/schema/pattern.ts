import type * as Re2Js from "re2js";
import { FailureError, loadPackage, errorMessage } from "../base/index.ts";

/** A pattern that matches in time linear in the text, for any pattern. */
export interface Pattern {
  /** Approximate steps per character. */
  readonly stepsPerCharacter: number;
  test(text: string): boolean;
}

/** Longer patterns are refused: they are unreadable and expensive to compile. */
const maxLength = 512;

/** Patterns repeat across the tools of a workspace; a full cache is cleared. */
const cache = new Map<string, Pattern>();
const cacheSize = 512;

/**
 * Compiles a pattern from a schema. Backreferences and lookaround are refused (reason `bad_pattern`), because no
 * linear-time matcher supports them; so is a pattern that is too long (reason `pattern_too_long`).
 */
export function compilePattern(source: string): Pattern {
  const known = cache.get(source);
  if (known !== undefined) return known;
  if (source.length > maxLength) {
    throw new FailureError(`a pattern may have at most ${maxLength} characters, this one has ${source.length}`, {
      code: "tool_invalid",
      reason: "pattern_too_long",
    });
  }
  // The general matcher is slow to load.
  const pattern = plainPattern(source) ?? compile(source);
  if (cache.size >= cacheSize) cache.clear();
  cache.set(source, pattern);
  return pattern;
}

function compile(source: string): Pattern {
  const { RE2JS } = loadPackage("re2js");
  const unsupported = findUnsupported(source);
  if (unsupported !== undefined) throw badPattern(source, unsupported);
  let matcher: Re2Js.RE2JS;
  try {
    matcher = RE2JS.compile(RE2JS.translateRegExp(plainProperties(source)));
  } catch (error) {
    throw badPattern(source, errorMessage(error).replace(/^error parsing regexp: /, ""));
  }
  return { stepsPerCharacter: matcher.programSize(), test: (text) => matcher.test(text) };
}

/** Names JavaScript pattern features that a linear-time matcher does not support. */
function findUnsupported(source: string): string | undefined {
  // Escaped characters and classes are removed first: neither `\\\\1` nor `[(?=]` is one of these.
  const bare = source.replace(/\\[^1-9k]/gu, "_").replace(/\[[^\]]*\]/gu, "_");
  const found = /\\(?:[1-9]|k<)|\(\?<?[=!]/u.exec(bare);
  if (found === null) return undefined;
  return found[0].startsWith("\\") ? "backreferences are not supported" : "lookaround is not supported";
}

const longNames: ReadonlyMap<string, string> = new Map([
  ["Letter", "L"],
  ["Uppercase_Letter", "Lu"],
  ["Lowercase_Letter", "Ll"],
  ["Mark", "M"],
  ["Number", "N"],
  ["Decimal_Number", "Nd"],
  ["Punctuation", "P"],
  ["Symbol", "S"],
  ["Separator", "Z"],
]);

/** Converts `\p{Script=Han}` and `\p{Letter}` to the matcher's spelling: `\p{Han}`, `\p{L}`. */
function plainProperties(source: string): string {
  return source.replace(
    /\\([pP])\{(?:(?:Script|sc|Script_Extensions|scx|General_Category|gc)=)?(\w+)\}/gu,
    (_all, letter: string, name: string) => `\\${letter}{${longNames.get(name) ?? name}}`,
  );
}

function badPattern(source: string, why: string): FailureError {
  return new FailureError(`the pattern ${JSON.stringify(source)} cannot be used: ${why}`, {
    code: "tool_invalid",
    reason: "bad_pattern",
  });
}

/** One character: a literal, one of a class, a digit, a word character, or an escaped special character. */
const atom = String.raw`(?:[A-Za-z0-9_:/@#%&~,;'"=!<> -]|\\[dw.\-/+*?$^|()[\]{}]|\[(?:[A-Za-z0-9_:/@#%&~,;=!<> ]|[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|\.)+-?\])`;
const plain = new RegExp(String.raw`^\^(?:${atom}(?:[?*+]|\{[1-9]\})?)*\$?$`);
const step = new RegExp(String.raw`${atom}([?*+]|\{[1-9]\})?`, "g");

/**
 * Patterns that are safe for JavaScript's own matcher, which most are: anchored at the beginning, without groups, with
 * at most one unbounded repetition and two optional characters, so that there is hardly any backtracking. Undefined for
 * all others.
 */
export function plainPattern(source: string): Pattern | undefined {
  if (!plain.test(source)) return undefined;
  const counts = Array.from(source.slice(1).matchAll(step), ([, count = ""]) => count);
  const endless = counts.filter((count) => count === "*" || count === "+").length;
  const optional = counts.filter((count) => count === "?").length;
  if (endless > 1 || optional > 2) return undefined;
  let matcher: RegExp;
  try {
    matcher = new RegExp(source, "u");
  } catch {
    // The full compiler reports the error.
    return undefined;
  }
  return { stepsPerCharacter: source.length, test: (text) => matcher.test(text) };
}

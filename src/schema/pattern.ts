import type * as Re2Js from "re2js";
import { FailureError, loadPackage } from "../base/index.ts";
import { plainPattern } from "./plain-pattern.ts";

/** A pattern that matches in time linear in the text, whatever the pattern. */
export interface Pattern {
  /** About how many steps one character costs. */
  readonly stepsPerCharacter: number;
  test(text: string): boolean;
}

/** Longer patterns are refused: nobody reads them, and compiling them is work. */
const longest = 512;

/** Patterns repeat across the tools of a workspace; the cache is emptied rather than grown. */
const cache = new Map<string, Pattern>();
const cacheSize = 512;

/**
 * Compiles a pattern from a schema. Backreferences and lookaround are refused (reason `bad_pattern`), because no
 * linear-time matcher has them; so is a pattern that is too long (reason `pattern_too_long`).
 */
export function compilePattern(source: string): Pattern {
  const known = cache.get(source);
  if (known !== undefined) return known;
  if (source.length > longest) {
    throw new FailureError(`a pattern may have at most ${longest} characters, this one has ${source.length}`, {
      code: "tool_invalid",
      reason: "pattern_too_long",
    });
  }
  // The matcher for all others takes a while to load.
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
    const text = error instanceof Error ? error.message : String(error);
    throw badPattern(source, text.replace(/^error parsing regexp: /, ""));
  }
  return { stepsPerCharacter: matcher.programSize(), test: (text) => matcher.test(text) };
}

/** What people expect of a JavaScript pattern and a linear-time matcher cannot do, in their words. */
function findUnsupported(source: string): string | undefined {
  // Escaped characters and classes are taken out first: neither `\\\\1` nor `[(?=]` is one of these.
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

/** `\p{Script=Han}` and `\p{Letter}` as the matcher spells them: `\p{Han}`, `\p{L}`. */
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

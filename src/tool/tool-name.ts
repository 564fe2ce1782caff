import { FailureError } from "../base/index.ts";
import { showUnsafe } from "../text/index.ts";

/** Maximum length of a tool name, in UTF-16 units. */
const maxLength = 128;

/**
 * The reason why a tool cannot have this name; undefined if it can: letters of one script, digits, `_`, `-` and `.`,
 * starting with a letter or `_`, with at most one `/` after a namespace. Latin letters may be mixed with those of
 * Chinese, Japanese and Korean: the "highly restrictive" level of UTS 39, so that no name looks like another.
 *
 * @example
 * ```ts
 * toolNameProblem("web_search"); // undefined
 * toolNameProblem("../../x"); // "must start with a letter or _"
 * ```
 */
export function toolNameProblem(name: unknown): string | undefined {
  if (typeof name !== "string" || name === "") return "must be a non-empty string";
  if (name.length > maxLength) return `may have at most ${maxLength} characters, has ${name.length}`;
  // Most names take this fast path; the character classes for letters of all scripts are slow to build.
  if (/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) return undefined;
  if (/\p{Default_Ignorable_Code_Point}/u.test(name)) return `contains an invisible character: ${showUnsafe(name)}`;
  if (name.normalize("NFKC") !== name)
    return "must be in Unicode normal form KC; write its accents as single characters, and no full-width letters";
  if (!/^[\p{L}_]/u.test(name)) return "must start with a letter or _";
  if (!/^[\p{L}_][\p{L}\p{M}\p{N}_.-]*(?:\/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*)?$/u.test(name))
    return "may contain letters, digits, _, - and ., and one / after a namespace";
  // A server and its tool may be named in different scripts.
  return name
    .split("/")
    .map(scriptProblem)
    .find((problem) => problem !== undefined);
}

/** The scripts that UTS 31 recommends for identifiers, except for those that may be mixed. */
const separateScripts = (
  "Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao " +
  "Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan"
).split(" ");

/** Scripts that may be mixed: each list includes Latin. */
const mixedScripts: readonly (readonly string[])[] = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Bopomofo"],
  ["Latin", "Han", "Hangul"],
];

/** Letters for phonetics and other special uses, which look like those of the alphabet. */
const technicalLatin = /[\u0250-\u02af\u1d00-\u1dbf\u2c60-\u2c7f\ua722-\ua7ff\uab30-\uab6f]/;

const known = new Map<string, RegExp>();

/** Matches a text whose characters all belong to these scripts, or to no script in particular. */
function onlyScripts(scripts: readonly string[]): RegExp {
  const key = scripts.join(" ");
  const classes = [...scripts, "Common", "Inherited"].map((script) => `\\p{scx=${script}}`).join("");
  const pattern = known.get(key) ?? new RegExp(`^[${classes}]*$`, "u");
  known.set(key, pattern);
  return pattern;
}

/** Why the scripts of a name are refused. */
function scriptProblem(name: string): string | undefined {
  if (technicalLatin.test(name)) return "contains a phonetic letter that looks like another letter";
  const sets = [...mixedScripts, ...separateScripts.map((script) => [script])];
  if (sets.some((scripts) => onlyScripts(scripts).test(name))) return undefined;
  const all = [...new Set(sets.flat())];
  const found = all.filter((script) => Array.from(name).some((letter) => isOf(letter, script)));
  if (found.length > 1) return `mixes letters of ${found.join(" and ")}, which can look alike`;
  return "contains letters of a script that is not recommended for names";
}

function isOf(letter: string, script: string): boolean {
  return onlyScripts([script]).test(letter) && !onlyScripts([]).test(letter);
}

/** Throws `tool_invalid`, reason `bad_tool_name`, if a tool cannot have this name. */
export function checkToolName(name: unknown): void {
  const problem = toolNameProblem(name);
  if (problem === undefined) return;
  const shown = typeof name === "string" && name !== "" ? ` ${JSON.stringify(showUnsafe(name.slice(0, 80)))}` : "";
  throw new FailureError(`the tool name${shown} ${problem}`, { code: "tool_invalid", reason: "bad_tool_name" });
}

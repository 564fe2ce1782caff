import { foldName } from "../base/index.ts";
import { suggest } from "../text/index.ts";
import { selectorIn, selectorWords } from "./permissions.ts";

/** The tools and sources that a rule can match. */
export interface RuleSubjects {
  /** The names of the tools, including aliases. Called only if a rule contains a name. */
  readonly tools: () => ReadonlySet<string>;
  /** The sources of the tools. */
  readonly sources: () => ReadonlySet<string>;
}

/** The sources of tools in a workspace. */
export const defaultSources: readonly string[] = ["tools", "skills", "mcps", "chains", "hub"];

/** A rule that matches no existing tool or source. */
export interface UnmatchedRule {
  /** The name of a tool or of a source in the rule. */
  readonly name: string;
  readonly message: string;
  /** The name that was most likely meant. */
  readonly near: string | undefined;
  /**
   * The misspelled part: a word of the rule language, or a source. Undefined if it may be the name of a tool that is
   * registered later.
   */
  readonly misspelt: "word" | "source" | undefined;
}

/**
 * Returns details of a rule that names a tool or source that does not exist. A rule with `*` may be for tools that are
 * registered later.
 */
export function unmatchedRule(rule: string, { tools, sources }: RuleSubjects): UnmatchedRule | undefined {
  const { kind, value } = selectorIn(rule);
  switch (kind) {
    case "tool":
      return isKnown(value, tools()) ? undefined : unknownTool(value, tools());
    case "source":
      return sources().has(value) ? undefined : unknownSource(value, sources());
    case "other":
      return undefined;
    default:
      return kind satisfies never;
  }
}

function isKnown(name: string, known: ReadonlySet<string>): boolean {
  return known.has(name) || [...known].some((each) => foldName(each) === foldName(name));
}

function unknownTool(name: string, known: ReadonlySet<string>): UnmatchedRule {
  // Tool names contain no blanks: the text after one was meant to be the end of the rule.
  const rules = /\s/.test(name) ? [...known].map((tool) => `${tool} trusted`) : [];
  const near = suggest(name, [...known, ...selectorWords, ...rules]);
  const isWord = near !== undefined && selectorWords.includes(near) && isTypo(name, near);
  return { name, message: `there is no tool "${name}"`, near, misspelt: isWord ? "word" : undefined };
}

function unknownSource(source: string, known: ReadonlySet<string>): UnmatchedRule {
  const near = suggest(source, known);
  const found = { name: source, message: `no tool comes from "${source}"` };
  if (near === undefined) return { ...found, near, misspelt: undefined };
  return { ...found, near: `source:${near}`, misspelt: isTypo(source, near) ? "source" : undefined };
}

/** Length of the word ending in which `destruction` and `destructible` differ from `destructive`. */
const endLength = 3;

/**
 * True if a text is a mistyped word: one letter missing, extra, wrong or swapped with the next, or two such in a long
 * word. Another text with the same beginning may be a name of its own.
 */
export function isTypo(text: string, word: string): boolean {
  const typed = text.toLowerCase();
  if (typed[0] !== word[0] || Math.abs(typed.length - word.length) > 2) return false;
  if (isWithin(typed, word, 1)) return true;
  const stem = word.slice(0, -endLength);
  return word.length >= 10 && !typed.startsWith(stem) && isWithin(typed, word, 2);
}

/** True if the texts are at most this many edits apart. Two swapped letters are one edit. */
function isWithin(a: string, b: string, edits: number): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const [left, right] = [a.slice(same), b.slice(same)];
  if (left === "" || right === "") return left.length + right.length <= edits;
  if (edits === 0) return false;
  const isSwapped = left[0] === right[1] && left[1] === right[0];
  return (
    isWithin(left.slice(1), right, edits - 1) ||
    isWithin(left, right.slice(1), edits - 1) ||
    isWithin(left.slice(1), right.slice(1), edits - 1) ||
    (isSwapped && isWithin(left.slice(2), right.slice(2), edits - 1))
  );
}

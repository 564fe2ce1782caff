import type { Clock } from "../../../base/index.ts";
import { OutputBudget } from "../data-limits.ts";
import { type PatternMatch, findAll } from "./linear-pattern.ts";

/** A replacement and its options. */
export interface Replacement {
  /** Literal text. Default: `pattern` is used. */
  readonly find?: string | undefined;
  readonly pattern?: string | undefined;
  /** After a pattern `$1`, `$<name>`, `$&` and `$$` are interpreted. */
  readonly replacement: string;
  readonly all: boolean;
  readonly ignoreCase: boolean;
}

/** A text after its replacements, and their number. */
type ReplacedText = { readonly text: string; readonly replacements: number };

/** Replaces a literal text or the matches of a pattern, in time linear in the text. */
export function replaceText(text: string, how: Replacement, clock: Clock): ReplacedText {
  const { find, replacement, all, ignoreCase } = how;
  const literal = find !== undefined && !ignoreCase;
  const positions = literal ? findLiteral(text, find) : findAll({ pattern: patternOf(how), ignoreCase }, text, clock);
  const writes = find === undefined ? readReplacement(replacement) : () => replacement;
  const budget = new OutputBudget();
  const parts: string[] = [];
  let done = 0;
  let replacements = 0;
  for (const location of positions) {
    const put = writes(location, text);
    budget.spend(location.at - done + put.length);
    parts.push(text.slice(done, location.at), put);
    done = location.end;
    replacements++;
    if (!all) break;
  }
  return { text: parts.join("") + text.slice(done), replacements };
}

function patternOf({ find, pattern = "" }: Replacement): string {
  return find === undefined ? pattern : find.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

function* findLiteral(text: string, find: string): Generator<PatternMatch, void, undefined> {
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + find.length)) {
    yield { at, end: at + find.length, group: () => undefined, groups: 0 };
  }
}

/** Returns the replacement of a match. */
type Writes = (location: PatternMatch, text: string) => string;

/**
 * Compiles a replacement: references to groups are replaced by their text; a reference to a missing group stays as it
 * is.
 */
function readReplacement(replacement: string): Writes {
  const pieces: (string | Writes)[] = [];
  let done = 0;
  for (const { 0: all, 1: number, 2: name, index } of replacement.matchAll(/\$(?:\$|&|(\d{1,2})|<(\w{1,64})>)/g)) {
    pieces.push(replacement.slice(done, index));
    done = index + all.length;
    if (all === "$$") pieces.push("$");
    else if (all === "$&") pieces.push((location, text) => text.slice(location.at, location.end));
    else pieces.push((location) => location.group(number === undefined ? (name ?? "") : Number(number)) ?? all);
  }
  pieces.push(replacement.slice(done));
  return (location, text) => {
    let put = "";
    for (const piece of pieces) put += typeof piece === "string" ? piece : piece(location, text);
    return put;
  };
}

import type { Clock } from "../../../base/index.ts";
import { OutputBudget } from "../output-budget.ts";
import { type Found, findAll } from "./linear-pattern.ts";

/** What is replaced by what. */
export interface Replacement {
  /** Literal text; where it is absent, `pattern` counts. */
  readonly find?: string | undefined;
  readonly pattern?: string | undefined;
  /** After a pattern `$1`, `$<name>`, `$&` and `$$` have their meaning. */
  readonly replacement: string;
  readonly all: boolean;
  readonly ignoreCase: boolean;
}

/** A text after its replacements, and how many there were. */
export interface ReplacedText {
  readonly text: string;
  readonly replacements: number;
}

/** Replaces a literal text or what matches a pattern, in time linear in the text. */
export function replaceText(text: string, how: Replacement, clock: Clock): ReplacedText {
  const { find, replacement, all, ignoreCase } = how;
  const literal = find !== undefined && !ignoreCase;
  const places = literal ? findLiteral(text, find) : findAll({ pattern: patternOf(how), ignoreCase }, text, clock);
  const writes = find === undefined ? readReplacement(replacement) : () => replacement;
  const budget = new OutputBudget();
  const parts: string[] = [];
  let done = 0;
  let replacements = 0;
  for (const place of places) {
    const put = writes(place, text);
    budget.spend(place.at - done + put.length);
    parts.push(text.slice(done, place.at), put);
    done = place.end;
    replacements++;
    if (!all) break;
  }
  return { text: parts.join("") + text.slice(done), replacements };
}

function patternOf({ find, pattern = "" }: Replacement): string {
  return find === undefined ? pattern : find.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

function* findLiteral(text: string, find: string): Generator<Found, void, undefined> {
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + find.length)) {
    yield { at, end: at + find.length, group: () => undefined, groups: 0 };
  }
}

/** Writes what comes instead of a place. */
type Writes = (place: Found, text: string) => string;

/** What stands for groups is replaced by their text; a group that is not there stays as it is written. */
function readReplacement(replacement: string): Writes {
  const pieces: (string | Writes)[] = [];
  let done = 0;
  for (const { 0: all, 1: number, 2: name, index } of replacement.matchAll(/\$(?:\$|&|(\d{1,2})|<(\w{1,64})>)/g)) {
    pieces.push(replacement.slice(done, index));
    done = index + all.length;
    if (all === "$$") pieces.push("$");
    else if (all === "$&") pieces.push((place, text) => text.slice(place.at, place.end));
    else pieces.push((place) => place.group(number === undefined ? (name ?? "") : Number(number)) ?? all);
  }
  pieces.push(replacement.slice(done));
  return (place, text) => {
    let put = "";
    for (const piece of pieces) put += typeof piece === "string" ? piece : piece(place, text);
    return put;
  };
}

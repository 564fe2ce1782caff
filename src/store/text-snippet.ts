import type { Needle, TextPlan } from "./text-query.ts";
import { readTokens } from "./text-tokens.ts";

/** A range of a text: start inclusive, end exclusive. */
export type TextRange = readonly [start: number, end: number];

/** The part of a text that best shows why it was found. */
export interface Snippet {
  /** On one line; `…` marks omissions. */
  readonly snippet: string;
  /** Ranges to highlight, as UTF-16 offsets into the snippet. */
  readonly highlights: readonly TextRange[];
  /** Line of the text, counted from 1, of the first highlight. */
  readonly line: number;
  /** Offset of the first highlight in the text, in UTF-16 units. */
  readonly offset: number;
}

interface Match {
  readonly start: number;
  readonly end: number;
  readonly needle: number;
}

/** Length of a snippet, and of its part before the first match. */
const width = 240;
const lead = 60;
/** More matches than this do not improve the choice. */
const maxMatches = 500;

/** Finds the part of the text where most words of the query occur together; never in its front matter. */
export function extractSnippet(text: string, plan: TextPlan): Snippet {
  const needles = [
    ...[...plan.all, ...plan.any, ...plan.more].flat(),
    ...(plan.phrase === undefined ? [] : [plan.phrase]),
  ];
  const front = frontMatterLength(text);
  const body = text.slice(front);
  const matches = findMatches(body, needles);
  const first = bestStart(matches, needles);
  const from = first === undefined ? 0 : beginning(body, first.start);
  const to = ending(body, Math.min(body.length, from + width));
  const offset = front + (first?.start ?? from);
  return { ...show(body, [from, to], matches), line: lineAt(text, offset), offset };
}

function findMatches(text: string, needles: readonly Needle[]): Match[] {
  const terms: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const found: Match[] = [];
  const byFirst = groupByFirst(needles);
  readTokens(text, {
    term(term, start, end) {
      terms.push(term);
      starts.push(start);
      ends.push(end);
    },
    joined(term, start, end) {
      for (const needle of byFirst.get(term) ?? []) {
        if (needles[needle]?.terms.length === 1) found.push({ start, end, needle });
      }
    },
    wordEnd() {},
  });
  const prefixes = needles.flatMap(({ prefix, terms }, index) => (prefix && terms.length === 1 ? [index] : []));
  for (let at = 0; at < terms.length && found.length < maxMatches; at++) {
    const term = terms[at] ?? "";
    for (const needle of [...(byFirst.get(term) ?? []), ...prefixes]) {
      const length = lengthAt({ terms, at }, needles[needle]);
      if (length === 0) continue;
      const last = at + length - 1;
      // Only the first character of a pair is part of the query.
      const end = needles[needle]?.prefix === true ? afterCharacter(text, starts[last] ?? 0) : (ends[last] ?? 0);
      found.push({ start: starts[at] ?? 0, end, needle });
    }
  }
  return found.toSorted((a, b) => a.start - b.start || b.end - a.end);
}

function afterCharacter(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}

function groupByFirst(needles: readonly Needle[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [index, { terms, prefix }] of needles.entries()) {
    const [first] = terms;
    if (first === undefined || (prefix && terms.length === 1)) continue;
    groups.set(first, [...(groups.get(first) ?? []), index]);
  }
  return groups;
}

/** Returns how many terms the needle matches here; 0 if it does not match. */
function lengthAt(
  { terms, at }: { readonly terms: readonly string[]; readonly at: number },
  needle: Needle | undefined,
): number {
  if (needle === undefined) return 0;
  const last = needle.terms.length - 1;
  for (const [index, term] of needle.terms.entries()) {
    const there = terms[at + index];
    const fits = needle.prefix && index === last ? there?.startsWith(term) : there === term;
    if (fits !== true) return 0;
  }
  return needle.terms.length;
}

/** Returns the match after which the most distinct needles are within the width; on a tie the first. */
function bestStart(matches: readonly Match[], needles: readonly Needle[]): Match | undefined {
  let best: Match | undefined;
  let limit = 0;
  for (const [index, match] of matches.entries()) {
    const seen = new Set<number>();
    let worth = 0;
    for (let other = index; other < matches.length && seen.size < needles.length; other++) {
      const { start, needle } = matches[other] ?? match;
      if (start > match.start + width - lead) break;
      if (!seen.has(needle)) worth += needles[needle]?.terms.length ?? 0;
      seen.add(needle);
    }
    if (worth > limit) [best, limit] = [match, worth];
  }
  return best;
}

/** Returns the length of the front matter; 0 if the text consists of nothing else. */
function frontMatterLength(text: string): number {
  const found = /^---[ \t]*\r?\n["']?[\p{L}_#][\s\S]{0,32000}?\n(?:---|\.\.\.)[ \t]*\r?\n\s*/u.exec(text);
  const isMap = found !== null && /^---[ \t]*\r?\n(?:#.*\n)*["']?[\p{L}_][^:\n]{0,100}:\s/u.test(found[0]);
  return isMap && found[0].length < text.length ? found[0].length : 0;
}

/** Returns an offset a little before the match, at the beginning of a word or a sentence if one is near. */
function beginning(text: string, match: number): number {
  const from = Math.max(0, match - lead);
  if (from === 0) return 0;
  const gap = /[\s。！？；，、.!?;,]+/g;
  gap.lastIndex = from;
  const found = gap.exec(text.slice(0, match));
  const start = found === null ? from : found.index + found[0].length;
  return isLow(text, start) ? start - 1 : start;
}

function ending(text: string, to: number): number {
  if (to >= text.length) return text.length;
  const space = text.lastIndexOf(" ", to);
  const end = space > to - 20 ? space : to;
  return isLow(text, end) ? end + 1 : end;
}

/** True if this offset would split a surrogate pair. */
function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Returns the range on one line, with the offsets of the matches in it. */
function show(text: string, [from, to]: TextRange, matches: readonly Match[]): Omit<Snippet, "line" | "offset"> {
  let snippet = from > 0 ? "…" : "";
  const positions = new Map<number, number>();
  for (let at = from; at < to; at++) {
    positions.set(at, snippet.length);
    const character = text[at] ?? "";
    if (!/\s/.test(character)) snippet += character;
    else if (snippet !== "" && !snippet.endsWith(" ")) snippet += " ";
  }
  positions.set(to, snippet.length);
  const shown = snippet.trimEnd();
  const ranges = matches.map(({ start, end }): TextRange => [
    positions.get(start) ?? -1,
    positions.get(Math.min(end, to)) ?? -1,
  ]);
  return { snippet: to < text.length ? `${shown}…` : shown, highlights: merged(ranges) };
}

/** Returns the ranges in order, clipped to the view; adjacent ranges are merged. */
function merged(ranges: readonly TextRange[]): TextRange[] {
  const found: TextRange[] = [];
  for (const [start, end] of ranges) {
    if (start < 0 || end < 0) continue;
    const last = found.at(-1);
    if (last !== undefined && start <= last[1]) found.splice(-1, 1, [last[0], Math.max(last[1], end)]);
    else found.push([start, end]);
  }
  return found;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

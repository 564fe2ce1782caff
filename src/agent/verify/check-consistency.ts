import { cutText } from "../../text/index.ts";
import { type ParsedNumber, isSameNumber } from "./parse-numbers.ts";
import { type Statement, splitStatements } from "./split-statements.ts";
import { jaccard, countShared, wordSet } from "./token-similarity.ts";
import type { VerificationIssue } from "./verification.ts";

/** An earlier result. */
export interface EarlierResult {
  readonly id: string;
  readonly text: string;
  /** The checked result builds on it. */
  readonly isBasis?: boolean;
}

/**
 * Similarity from which two sentences are about the same thing; `within` applies if one sentence contains the words of
 * the other.
 */
const sameFrom = { default: 0.8, within: 0.6 } as const;
/** With fewer words, the subject of a sentence is unknown. */
const minWords = 2;
/** A text with fewer words need not share one with its basis. */
const minRelated = 8;

/** Checks whether a result contradicts earlier ones, or is unrelated to the results it builds on. */
export function checkConsistency(text: string, earlier: readonly EarlierResult[]): VerificationIssue[] {
  const own = splitStatements(text);
  return earlier.flatMap((before) => [...contradictions(own, before), ...unrelated(text, before)]);
}

function contradictions(own: readonly Statement[], { id, text }: EarlierResult): VerificationIssue[] {
  const theirs = splitStatements(text);
  return own.flatMap((statement) => {
    const other = theirs.find((candidate) => contradicts(statement, candidate));
    if (other === undefined) return [];
    // If another sentence with the same words agrees, they are about several things.
    if (theirs.some((each) => agrees(statement, each)) || own.some((each) => agrees(each, other))) return [];
    const quote = short(statement.text);
    const message = `it says "${quote}", and ${id} says "${short(other.text)}"`;
    return [{ kind: "contradiction" as const, severity: "error" as const, message, quote, against: id }];
  });
}

function contradicts(one: Statement, other: Statement): boolean {
  if (!areAlike(one.words, other.words)) return false;
  if (ofOtherThings(one.numbers, other.numbers)) return false;
  const [mine, theirs] = [figuresOf(one), figuresOf(other)];
  if (mine.length > 0 && theirs.length > 0) {
    if (ofOtherYears(mine, theirs)) return false;
    // A word that only one of them has may name another thing.
    if (differ(mine, theirs)) return haveSameWords(one, other);
  }
  return one.denies !== other.denies;
}

function figuresOf({ numbers }: Statement): readonly ParsedNumber[] {
  return numbers.filter(({ isLabel }) => !isLabel);
}

function agrees(one: Statement, other: Statement): boolean {
  if (!haveSameWords(one, other) || one.denies !== other.denies) return false;
  return one.numbers.length === other.numbers.length && !differ(one.numbers, other.numbers);
}

function haveSameWords({ words }: Statement, other: Statement): boolean {
  return words.size === other.words.size && countShared(words, other.words) === words.size;
}

/** True if the numbers that name things, as in `Mill 2`, differ. */
function ofOtherThings(one: readonly ParsedNumber[], other: readonly ParsedNumber[]): boolean {
  const [mine, theirs] = [one.filter(({ isLabel }) => isLabel), other.filter(({ isLabel }) => isLabel)];
  return mine.length !== theirs.length || (mine.length > 0 && differ(mine, theirs));
}

function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const smaller = Math.min(one.size, other.size);
  if (smaller < minWords) return false;
  const isWithin = countShared(one, other) === smaller;
  return jaccard(one, other) >= (isWithin ? sameFrom.within : sameFrom.default);
}

/** True for figures of different years, which may well differ. */
function ofOtherYears(one: readonly ParsedNumber[], other: readonly ParsedNumber[]): boolean {
  const [mine, theirs] = [one.filter(({ isYear }) => isYear), other.filter(({ isYear }) => isYear)];
  const hasMore = one.length > mine.length || other.length > theirs.length;
  return hasMore && mine.length > 0 && theirs.length > 0 && differ(mine, theirs);
}

/** True if there are as many numbers in both, but not all the same; or not one in common. */
function differ(one: readonly ParsedNumber[], other: readonly ParsedNumber[]): boolean {
  const missing = one.filter((number) => !other.some((candidate) => isSameNumber(number, candidate)));
  return one.length === other.length ? missing.length > 0 : missing.length === one.length;
}

function unrelated(text: string, { id, text: basis, isBasis = false }: EarlierResult): VerificationIssue[] {
  if (!isBasis || hasHan(text) !== hasHan(basis)) return [];
  const [own, theirs] = [wordSet(text), wordSet(basis)];
  if (Math.min(own.size, theirs.size) < minRelated || jaccard(own, theirs) > 0) return [];
  const message = `it shares no word with ${id}, on which it builds`;
  return [{ kind: "unrelated", severity: "warning", message, quote: short(text), against: id }];
}

/** Texts in different languages share no words, even if they say the same. */
function hasHan(text: string): boolean {
  return /\p{Script=Han}/u.test(text);
}

function short(text: string): string {
  return cutText(text, 120).text;
}

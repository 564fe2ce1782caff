import { cutText } from "../../text/index.ts";
import { type FoundNumber, isSameNumber } from "./numbers-in.ts";
import { type Statement, statementsOf } from "./statements-of.ts";
import { jaccard, sharedBy, wordsOf } from "./token-similarity.ts";
import type { VerificationIssue } from "./verification.ts";

/** What came before a result. */
export interface EarlierResult {
  readonly id: string;
  readonly text: string;
  /** The result that is checked builds on it. */
  readonly isBasis?: boolean;
}

/** From here on two sentences speak of the same thing; where one says nothing that the other does not, from `within` on. */
const sameFrom = { usual: 0.8, within: 0.6 } as const;
/** With fewer words than this nobody can tell what a sentence speaks of. */
const leastWords = 2;
/** A text with fewer words need not share one with what it builds on. */
const leastRelated = 8;

/** Does a result contradict those before it, or has it nothing to do with what it builds on? */
export function checkConsistency(text: string, earlier: readonly EarlierResult[]): VerificationIssue[] {
  const own = statementsOf(text);
  return earlier.flatMap((before) => [...contradictions(own, before), ...unrelated(text, before)]);
}

function contradictions(own: readonly Statement[], { id, text }: EarlierResult): VerificationIssue[] {
  const theirs = statementsOf(text);
  return own.flatMap((statement) => {
    const other = theirs.find((candidate) => contradicts(statement, candidate));
    if (other === undefined) return [];
    const quote = short(statement.text);
    const message = `it says "${quote}", and ${id} says "${short(other.text)}"`;
    return [{ kind: "contradiction" as const, severity: "error" as const, message, quote, against: id }];
  });
}

function contradicts(one: Statement, other: Statement): boolean {
  if (!areAlike(one.words, other.words)) return false;
  if (one.numbers.length > 0 && other.numbers.length > 0) {
    if (ofOtherYears(one.numbers, other.numbers)) return false;
    if (differ(one.numbers, other.numbers)) return true;
  }
  return one.denies !== other.denies;
}

function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const smaller = Math.min(one.size, other.size);
  if (smaller < leastWords) return false;
  const isWithin = sharedBy(one, other) === smaller;
  return jaccard(one, other) >= (isWithin ? sameFrom.within : sameFrom.usual);
}

/** Figures of two years may well differ. */
function ofOtherYears(one: readonly FoundNumber[], other: readonly FoundNumber[]): boolean {
  const [mine, theirs] = [one.filter(({ isYear }) => isYear), other.filter(({ isYear }) => isYear)];
  const hasMore = one.length > mine.length || other.length > theirs.length;
  return hasMore && mine.length > 0 && theirs.length > 0 && differ(mine, theirs);
}

/** As many numbers, and not all the same; or not one in common. */
function differ(one: readonly FoundNumber[], other: readonly FoundNumber[]): boolean {
  const missing = one.filter((number) => !other.some((candidate) => isSameNumber(number, candidate)));
  return one.length === other.length ? missing.length > 0 : missing.length === one.length;
}

function unrelated(text: string, { id, text: basis, isBasis = false }: EarlierResult): VerificationIssue[] {
  if (!isBasis || hasHan(text) !== hasHan(basis)) return [];
  const [own, theirs] = [wordsOf(text), wordsOf(basis)];
  if (Math.min(own.size, theirs.size) < leastRelated || jaccard(own, theirs) > 0) return [];
  const message = `it shares no word with ${id}, on which it builds`;
  return [{ kind: "unrelated", severity: "warning", message, quote: short(text), against: id }];
}

/** Texts in different languages share no words, whatever they say. */
function hasHan(text: string): boolean {
  return /\p{Script=Han}/u.test(text);
}

function short(text: string): string {
  return cutText(text, 120).text;
}

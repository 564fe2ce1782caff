import { readTokens } from "../../store/index.ts";

/** Words that occur in every text. */
const idle: ReadonlySet<string> = new Set(
  (
    "a an the of in on at to for from by with and or but is are was were be been being it its this that these those as " +
    "has have had do does did will would can could should may might about than then there which who what when where"
  ).split(" "),
);

/** True for a word that occurs in every text. */
export function isIdle(word: string): boolean {
  return idle.has(word);
}

/** The content words of a text: words of any language, pairs of characters in Chinese, no numbers. */
export function wordSet(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  readTokens(text, {
    term: (term) => void (idle.has(term) || /^\d+$/.test(term) ? undefined : words.add(term)),
    joined: () => {},
    wordEnd: () => {},
  });
  return words;
}

/** Jaccard similarity of two sets: the size of their intersection relative to their union. 0 if either is empty. */
export function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = countShared(one, other);
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Size of the intersection. */
export function countShared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return shared;
}

/**
 * Similarity of two texts, between 0 and 1: Jaccard over their words, Chinese and English.
 *
 * @example
 * ```ts
 * tokenSimilarity("The mill was built in 1834.", "The mill was built in 1843."); // 1: numbers are compared apart
 * ```
 */
export function tokenSimilarity(one: string, other: string): number {
  return jaccard(wordSet(one), wordSet(other));
}

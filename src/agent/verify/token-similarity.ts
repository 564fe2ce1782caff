import { readTokens } from "../../store/index.ts";

/** Words that every text has. */
const idle: ReadonlySet<string> = new Set(
  (
    "a an the of in on at to for from by with and or but is are was were be been being it its this that these those as " +
    "has have had do does did will would can could should may might about than then there which who what when where"
  ).split(" "),
);

/** The words of a text that say something: words of any language, pairs of characters in Chinese; numbers are none. */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  readTokens(text, {
    term: (term) => void (idle.has(term) || /^\d+$/.test(term) ? undefined : words.add(term)),
    joined: () => {},
    wordEnd: () => {},
  });
  return words;
}

/** How much two sets have in common, by Jaccard: what both have of what either has. 0 where either is empty. */
export function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = sharedBy(one, other);
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** How many both have. */
export function sharedBy(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return shared;
}

/**
 * How alike two texts are, between 0 and 1: Jaccard over their words, Chinese and English.
 *
 * @example
 * ```ts
 * tokenSimilarity("The mill was built in 1834.", "The mill was built in 1843."); // 1: numbers are compared apart
 * ```
 */
export function tokenSimilarity(one: string, other: string): number {
  return jaccard(wordsOf(one), wordsOf(other));
}

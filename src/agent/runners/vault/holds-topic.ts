import { wordsOf } from "../../verify/token-similarity.ts";
import { isNumber } from "../notes/salient-terms.ts";

/**
 * Does a text hold something of what was looked for, and not only a number of it? A term of several words counts where all
 * of them are there; one and many of a thing are the same.
 */
export function holdsTopic(text: string, terms: readonly string[]): boolean {
  const telling = terms.filter((term) => !isNumber(term));
  if (telling.length === 0) return true;
  const words = [...wordsOf(text)];
  const compact = compactOf(text);
  return telling.some((term) => {
    if (/[^\p{Script=Latin}\p{N}\s]/u.test(term)) return compact.includes(compactOf(term));
    return [...wordsOf(term)].every((word) => words.some((one) => one.startsWith(stemOf(word))));
  });
}

/** C++, e-mail and what is written without blanks are compared as they are, without what may stand between. */
function compactOf(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}'’]/gu, "");
}

/** What all forms of a word begin with. */
function stemOf(word: string): string {
  return word.slice(0, Math.max(3, word.length - 2));
}

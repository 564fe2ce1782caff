import { readTokens } from "../../store/index.ts";
import { stemWord } from "./stem-word.ts";

/** Kind of a term: a word, a pair of characters of a script without spaces, or one such character. */
export type TermKind = "word" | "pair" | "character";

/** Takes the terms of a text. */
export type TermSink = (term: string, kind: TermKind, index: { readonly start: number; readonly end: number }) => void;

const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * Splits a text into terms: words without their endings, identifiers split into their words, and for scripts without
 * spaces both the pairs of neighbors and the single characters.
 */
export function readTerms(text: string, sink: TermSink): void {
  readTokens(text, {
    term(term, start, end) {
      if (!unspaced.test(term)) return sink(stemWord(term), "word", { start, end });
      const [first = "", second] = term;
      sink(first, "character", { start, end: start + first.length });
      if (second !== undefined) sink(term, "pair", { start, end });
    },
    joined() {},
    wordEnd() {},
  });
}

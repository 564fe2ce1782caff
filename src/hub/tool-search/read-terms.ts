import { readTokens } from "../../store/index.ts";
import { stemWord } from "./stem-word.ts";

/** What a term is: a word, a pair of characters of a script without spaces, or one such character. */
export type TermKind = "word" | "pair" | "character";

/** Takes the terms of a text. */
export type TermSink = (term: string, kind: TermKind, place: { readonly start: number; readonly end: number }) => void;

const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * Cuts a text into the terms that are compared: words without their endings, identifiers split into their words, and of
 * scripts without spaces both the pairs of neighbours and the single characters.
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

import { cutText } from "../../text/index.ts";

/** Where words were found in a text. */
export interface Place {
  /** A part of the text around the place, on one line. */
  readonly excerpt: () => string;
  /** The place itself, in a text that is too long to be seen at once. */
  readonly offset: number | undefined;
}

/** Of the text around a match. */
const before = 60;
const around = 200;

/**
 * Looks for words in texts, whatever their case: a text that holds all of them is a place; a long one is as many as it
 * holds the longest of the words, those that one excerpt shows together counted once.
 */
export function placesIn(words: string): (text: string) => Generator<Place, void, undefined> {
  const wanted = foldCase(words)
    .split(/\s+/)
    .filter((word) => word !== "");
  const [first = ""] = wanted;
  const longest = wanted.reduce((most, word) => (word.length > most.length ? word : most), "");
  return function* (text) {
    const plain = foldCase(text);
    if (wanted.length === 0 || !wanted.every((word) => plain.includes(word))) return;
    if (text.length <= 2 * around) {
      yield { excerpt: () => excerptOf(text, plain.indexOf(first)), offset: undefined };
      return;
    }
    for (let at = plain.indexOf(longest); at !== -1; at = plain.indexOf(longest, at + around - before)) {
      const offset = at;
      yield { excerpt: () => excerptOf(text, offset), offset };
    }
  };
}

/** In lower case, with every place where it was: a letter that would get longer stays as it is. */
function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (character) => {
    const small = character.toLowerCase();
    return small.length === character.length ? small : character;
  }).join("");
}

function excerptOf(text: string, place: number): string {
  const start = Math.max(0, place - before);
  const part = text
    .slice(start, start + 2 * around)
    .toWellFormed()
    .replaceAll(/\s+/g, " ");
  return (start > 0 ? "…" : "") + cutText(part, around, { at: "word" }).text;
}

/**
 * Possible sentence ends: after full stops that are followed by a blank, after Chinese stops, and at blank lines. The
 * lookbehind keeps a long run of stops from being tried at each of them.
 */
const ends = /(?<![.!?])[.!?]+["'”’)\]»]*(?=\s|$)|[。！？｡…]+["'”’」』）】)]*|\n[^\S\n]*\n\s*/g;

/** An abbreviated word before a full stop. */
const abbreviated =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e|cf|Fig|No|Vol|Inc|Ltd|Co|Jr|Sr|U\.S|approx|[A-Z])\.$/;

/**
 * The ends of the sentences of a text, English and Chinese, in UTF-16 units; the end of the text is not among them.
 *
 * @example
 * ```ts
 * [...sentenceEnds("Dr. Wu came. 他走了。Then")]; // [12, 17]
 * ```
 */
export function* sentenceEnds(text: string): Generator<number, void, undefined> {
  for (const found of text.matchAll(ends)) {
    const end = found.index + found[0].length;
    if (found[0] === "." && isAbbreviation(text, found.index, end)) continue;
    yield end;
  }
}

/** A full stop of an abbreviation, or before a lower-case word, does not end a sentence. */
function isAbbreviation(text: string, at: number, end: number): boolean {
  if (abbreviated.test(text.slice(Math.max(0, at - 8), end))) return true;
  return /^[^\S\n]+\p{Ll}/u.test(text.slice(end, end + 8));
}

/** True if a text without spaces consists of these words, each of at most three characters: 我的, 写了. */
export function isRowOfWords(text: string, words: ReadonlySet<string>): boolean {
  for (let at = 0; at < text.length;) {
    const length = [3, 2, 1].find((size) => words.has(text.slice(at, at + size)));
    if (length === undefined) return false;
    at += length;
  }
  return true;
}

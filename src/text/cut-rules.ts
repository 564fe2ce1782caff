import type { CutRule } from "./redacted-stream.ts";

/** A line longer than this is shown in parts. */
const longestLine = 16_384;

/** Whole lines: names and values, headers and URLs do not cross them. */
export const wholeLines: CutRule = {
  opens: (piece, unshown) => piece.includes("\n") || unshown > longestLine,
  cut: (text, shownTo) => {
    const line = Math.max(text.lastIndexOf("\n") + 1, shownTo);
    return text.length - line > longestLine ? wordStart(text, text.length - longestLine / 2, line) : line;
  },
};

/** Whatever has come: nothing is a secret but what is known to be one. */
export const everything: CutRule = { opens: () => true, cut: (text) => text.length };

/** Where the word begins that a text has in front of a place; the place itself where it is not in one. */
function wordStart(text: string, place: number, least: number): number {
  let at = place;
  while (at > least && isInWord(text.charCodeAt(at - 1))) at--;
  return at;
}

function isInWord(unit: number): boolean {
  return unit >= 0x21 && unit <= 0x7e;
}

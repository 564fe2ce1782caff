import type { Span } from "./find-secrets.ts";
import type { RedactedStream, StreamParts } from "./redacted-stream.ts";

/** So much of what was shown is looked at again: the name in front of a value tells that it is a secret. */
const nameRoom = 200;

/** A word that has not come to its end may turn into a token, and the first line of a key has several. */
const openWord = /(?:-----BEGIN [A-Z\d ]{0,60}|[\x21-\x7e])[\x21-\x7e]*$/;

/** Not even an open secret holds back more than this. */
const longestHeld = 65_536;

/**
 * Shows whole words, for text that somebody reads while it is written. What may still turn into a secret is held back,
 * however long it is and whatever it is made of.
 */
export function createRedactedWords({ find, cover, openEnd }: StreamParts): RedactedStream {
  /** What was shown last of this line, and behind it what was not shown yet. */
  let text = "";
  let shownTo = 0;
  // After a look that showed nothing, wait for half as much again: many small pieces then cost no more than few large.
  let lookAgainAt = 0;

  const cutFor = (spans: readonly Span[]): number => {
    if (text.length - shownTo > longestHeld) return text.length;
    let cut = Math.min(openEnd(text), text.length - (openWord.exec(text.slice(-longestHeld))?.[0].length ?? 0));
    // What is found up to the very end may go on.
    for (const [start, end] of spans.toReversed()) if (start < cut && end >= cut) cut = start;
    return Math.max(cut, shownTo);
  };

  const show = (spans: readonly Span[], cut: number): string => {
    const from = shownTo;
    if (cut === from) return "";
    const within = spans.flatMap(([start, end]): Span[] =>
      end <= from || start >= cut ? [] : [[Math.max(start, from) - from, Math.min(end, cut) - from]],
    );
    const shown = cover(text.slice(from, cut), within);
    const keepFrom = Math.max(text.lastIndexOf("\n", cut - 1) + 1, cut - nameRoom, 0);
    text = text.slice(keepFrom);
    shownTo = cut - keepFrom;
    return shown;
  };

  return {
    write(piece) {
      text += piece;
      if (text.length - shownTo < lookAgainAt) return "";
      const spans = find(text);
      const cut = cutFor(spans);
      lookAgainAt = cut === shownTo && text.length - shownTo > nameRoom ? (text.length - shownTo) * 1.5 : 0;
      return show(spans, cut);
    },
    end() {
      const shown = show(find(text), text.length);
      text = "";
      shownTo = 0;
      lookAgainAt = 0;
      return shown;
    },
  };
}

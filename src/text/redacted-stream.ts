import type { Span } from "./find-secrets.ts";

/** Text in, redacted text out; what may still turn into a secret is held back until it cannot, or until the end. */
export interface RedactedStream {
  /** Takes a piece and gives what is safe to show by now. */
  write(piece: string): string;
  /** Gives what was held back. */
  end(): string;
}

/** How a redactor finds and covers secrets. */
export interface StreamParts {
  readonly find: (text: string) => readonly Span[];
  readonly cover: (text: string, spans: readonly Span[]) => string;
  /** Where the end of a text may be the beginning of a secret. */
  readonly openEnd: (text: string) => number;
}

/** Up to where a text may be shown whose secrets are none of its business. */
export interface CutRule {
  /** May there be more to show since the last look? Asked for each piece, so it looks at little besides. */
  readonly opens: (piece: string, unshown: number) => boolean;
  /** Text behind this place may turn into something else when it goes on. */
  readonly cut: (text: string, shownTo: number) => number;
}

/** So much of what was shown is looked at again: the name in front of a value tells that it is a secret. */
const nameRoom = 200;

/** Not even an open secret holds back more than this. */
const longestHeld = 65_536;

/** Shows a text as it comes, as far as its rule and its secrets let it. */
export function createRedactedStream({ find, cover, openEnd }: StreamParts, rule: CutRule): RedactedStream {
  /** What was shown last, and behind it what was not shown yet. */
  let text = "";
  let shownTo = 0;
  // After a look that showed nothing, wait for half as much again: many small pieces then cost no more than few large.
  let lookAgainAt = 0;

  const cutFor = (spans: readonly Span[]): number => {
    const full = text.length - shownTo > longestHeld;
    // What looks like a secret for ever is let go, by a half of it; one that is known never begins to show.
    let cut = Math.min(full ? text.length : rule.cut(text, shownTo), openEnd(text));
    const longest = full ? longestHeld / 2 : Infinity;
    // What is found up to the very end may go on.
    for (const [start, end] of spans.toReversed()) {
      if (start < cut && end >= cut && text.length - start <= longest) cut = start;
    }
    return Math.max(cut, shownTo);
  };

  const show = (spans: readonly Span[], cut: number): string => {
    const from = shownTo;
    if (cut === from) return "";
    const within = spans.flatMap(([start, end]): Span[] =>
      end <= from || start >= cut ? [] : [[Math.max(start, from) - from, Math.min(end, cut) - from]],
    );
    const shown = cover(text.slice(from, cut), within);
    const keepFrom = Math.max(cut - nameRoom, 0);
    text = text.slice(keepFrom);
    shownTo = cut - keepFrom;
    return shown;
  };

  return {
    write(piece) {
      text += piece;
      const unshown = text.length - shownTo;
      if (unshown < lookAgainAt || !(rule.opens(piece, unshown) || unshown > longestHeld)) return "";
      const spans = find(text);
      const cut = cutFor(spans);
      lookAgainAt = cut === shownTo && unshown > nameRoom ? unshown * 1.5 : 0;
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

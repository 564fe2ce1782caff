import type { Span } from "./find-secrets.ts";

/** Text in, redacted text out; what may still turn into a secret is held back until the next line or the end. */
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

/** A line longer than this is shown in parts. */
const longestLine = 16_384;

/** Room for the name in front of a secret value, where a line has to be divided. */
const nameRoom = 100;

/** Not even an open secret holds back more than this. */
const longestHeld = 65_536;

/** Shows whole lines: names and values, headers and URLs do not cross them, and secrets that do are waited for. */
export function createRedactedStream({ find, cover, openEnd }: StreamParts): RedactedStream {
  let held = "";
  // After a look that showed nothing, wait for half as much again: many small pieces then cost no more than few large.
  let lookAgainAt = 0;

  const cutFor = (spans: readonly Span[]): number => {
    if (held.length > longestHeld) return held.length;
    const line = held.lastIndexOf("\n") + 1;
    const long = held.length - line > longestLine;
    const margin = long ? nameRoom : 0;
    let cut = Math.min(long ? held.length - longestLine / 2 : line, openEnd(held));
    for (const [start, end] of spans.toReversed()) {
      if (start - margin < cut && end >= cut) cut = Math.max(0, start - margin);
    }
    return long || cut === 0 ? cut : held.lastIndexOf("\n", cut - 1) + 1;
  };

  return {
    write(piece) {
      held += piece;
      if (held.length < lookAgainAt || (!held.includes("\n") && held.length <= longestLine)) return "";
      const spans = find(held);
      const cut = cutFor(spans);
      const shown = cover(
        held.slice(0, cut),
        spans.filter(([start]) => start < cut),
      );
      held = held.slice(cut);
      lookAgainAt = cut === 0 ? held.length * 1.5 : 0;
      return shown;
    },
    end() {
      const shown = cover(held, find(held));
      held = "";
      return shown;
    },
  };
}

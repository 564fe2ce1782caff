import type { SecretSpan } from "./find-secrets.ts";

/** Text in, redacted text out; text that may still become a secret is held back until it cannot, or until the end. */
export interface RedactedStream {
  /** Takes a chunk and returns the text that is safe to show so far. */
  write(piece: string): string;
  /** Returns the text that was held back. */
  end(): string;
}

/** Functions that find and redact secrets. */
export interface RedactedStreamDeps {
  readonly find: (text: string) => readonly SecretSpan[];
  readonly redact: (text: string, spans: readonly SecretSpan[]) => string;
  /** Offset from which the end of a text may be the beginning of a secret. */
  readonly openEnd: (text: string) => number;
}

/** Decides up to which offset a text may be shown, regardless of its secrets. */
export interface FlushRule {
  /** True if more text may be shown since the last scan. Called for each chunk, so it must be cheap. */
  readonly opens: (piece: string, unshown: number) => boolean;
  /** Text after this offset may change its meaning when more text arrives. */
  readonly cut: (text: string, shownTo: number) => number;
}

/** Length of shown text that is scanned again: the name before a value marks it as a secret. */
const nameRoom = 200;

/** Maximum length of held-back text, even for an incomplete secret. */
const maxHeldChars = 65_536;

/** Shows a text as it arrives, as far as its rule and its secrets allow. */
export function createRedactedStream({ find, redact, openEnd }: RedactedStreamDeps, rule: FlushRule): RedactedStream {
  /** The text shown last, followed by the text not shown yet. */
  let text = "";
  let shownTo = 0;
  // After a scan that showed nothing, waits for half as much text again: many small chunks then cost no more than few
  // large ones.
  let lookAgainAt = 0;

  const cutFor = (spans: readonly SecretSpan[]): number => {
    const full = text.length - shownTo > maxHeldChars;
    // Text that keeps looking like a secret is released by half; a known secret never starts to show.
    let cut = Math.min(full ? text.length : rule.cut(text, shownTo), openEnd(text));
    const maxLength = full ? maxHeldChars / 2 : Infinity;
    // A match that reaches the very end may continue.
    for (const [start, end] of spans.toReversed()) {
      if (start < cut && end >= cut && text.length - start <= maxLength) cut = start;
    }
    return Math.max(cut, shownTo);
  };

  const show = (spans: readonly SecretSpan[], cut: number): string => {
    const from = shownTo;
    if (cut === from) return "";
    const within = spans.flatMap(([start, end]): SecretSpan[] =>
      end <= from || start >= cut ? [] : [[Math.max(start, from) - from, Math.min(end, cut) - from]],
    );
    const shown = redact(text.slice(from, cut), within);
    const keepFrom = Math.max(cut - nameRoom, 0);
    text = text.slice(keepFrom);
    shownTo = cut - keepFrom;
    return shown;
  };

  return {
    write(piece) {
      text += piece;
      const unshown = text.length - shownTo;
      if (unshown < lookAgainAt || !(rule.opens(piece, unshown) || unshown > maxHeldChars)) return "";
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

import { encodingsOf } from "./secret-encodings.ts";

/** A part of a text, from `start` up to but not including `end`. */
export type Span = readonly [start: number, end: number];

/** Finds known secrets in any of their encodings. */
export interface SecretFinder {
  /** It knows no secret, or only such that are too short to be looked for. */
  readonly isEmpty: boolean;
  /** All places, overlapping ones too, in the order of their start. */
  find(text: string): Span[];
  /** Where the end of a text may be the beginning of a secret; its length where it is not. */
  openEnd(text: string): number;
}

const hashSize = 1 << 16;

/**
 * One pass over the text however many secrets there are: the hash of four units leads to the few encodings that start
 * with them.
 */
export function createSecretFinder(secrets: Iterable<string>): SecretFinder {
  const forms = [...new Set([...secrets].flatMap(encodingsOf))];
  const starts = new Uint8Array(hashSize);
  const byStart = Map.groupBy(forms, (form) => form.slice(0, 4));
  const byUnit = Map.groupBy(forms, (form) => form.slice(0, 1));
  for (const form of forms) starts[hashAt(form, 0)] = 1;
  const longest = Math.max(0, ...forms.map((form) => form.length));
  const shortest = Math.min(...forms.map((form) => form.length));

  const longestAt = (text: string, at: number): number => {
    let length = 0;
    for (const form of byStart.get(text.slice(at, at + 4)) ?? []) {
      if (form.length > length && text.startsWith(form, at)) length = form.length;
    }
    return length;
  };

  return {
    isEmpty: forms.length === 0,
    find(text) {
      const spans: Span[] = [];
      // With no secrets, `shortest` is Infinity and the loop never runs.
      for (let at = 0; at <= text.length - shortest; at++) {
        if (starts[hashAt(text, at)] !== 1) continue;
        const length = longestAt(text, at);
        if (length > 0) spans.push([at, at + length]);
      }
      return spans;
    },
    openEnd(text) {
      for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
        const begun = byUnit.get(text.charAt(at));
        if (begun === undefined) continue;
        const rest = text.slice(at);
        if (begun.some((form) => form.length > rest.length && form.startsWith(rest))) return at;
      }
      return text.length;
    },
  };
}

function hashAt(text: string, at: number): number {
  const a = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1);
  return ((a * 31 + text.charCodeAt(at + 2)) * 31 + text.charCodeAt(at + 3)) & (hashSize - 1);
}

import { encodingsOf } from "./secret-encodings.ts";
import { unescapeText } from "./unescape-text.ts";

/** A part of a text, from `start` up to but not including `end`. */
export type SecretSpan = readonly [start: number, end: number];

/** Finds known secrets in any of their encodings. */
export interface SecretFinder {
  /** True if there is no secret, or only secrets too short to search for. */
  readonly isEmpty: boolean;
  /** All matches, including overlapping ones; also of secrets that escapes or line breaks interrupt. */
  find(text: string): SecretSpan[];
  /** Offset from which the end of a text may be the beginning of a secret; the length of the text if there is none. */
  openEnd(text: string): number;
  /** The halves of secrets at the very beginning and end of a line, whose other half may be in another line. */
  findHalves(line: string): SecretSpan[];
}

/** The beginning of a secret before a line break counts from this length on: less may be anything. */
const shortestBeginning = 4;
/** An escape at the end of a text that is not complete yet. */
const openEscape = /(?:\\{1,8}(?:u[\da-f]{0,3})?|&(?:amp;){0,3}(?:#(?:x[\da-f]{0,6}|\d{0,7}))?|&am?p?)$/i;

const hashSize = 1 << 16;

/**
 * Scans the text once, for any number of secrets: the hash of four units leads to the few encodings that start with
 * them.
 */
export function createSecretFinder(secrets: Iterable<string>): SecretFinder {
  const forms = [...new Set([...secrets].flatMap(encodingsOf))];
  const starts = new Uint8Array(hashSize);
  const byStart = Map.groupBy(forms, (form) => form.slice(0, 4));
  const byUnit = Map.groupBy(forms, (form) => form.slice(0, 1));
  for (const form of forms) starts[hashAt(form, 0)] = 1;
  const maxLength = Math.max(0, ...forms.map((form) => form.length));
  const shortest = Math.min(...forms.map((form) => form.length));

  const matchLengthAt = (text: string, at: number): number => {
    let length = 0;
    for (const form of byStart.get(text.slice(at, at + 4)) ?? []) {
      if (form.length > length && text.startsWith(form, at)) length = form.length;
    }
    return length;
  };

  const findIn = (text: string): SecretSpan[] => {
    const spans: SecretSpan[] = [];
    // With no secrets, `shortest` is Infinity and the loop never runs.
    for (let at = 0; at <= text.length - shortest; at++) {
      if (starts[hashAt(text, at)] !== 1) continue;
      const length = matchLengthAt(text, at);
      if (length > 0) spans.push([at, at + length]);
    }
    return spans;
  };

  const openEndIn = (text: string): number => {
    for (let at = Math.max(0, text.length - maxLength + 1); at < text.length; at++) {
      const begun = byUnit.get(text.charAt(at));
      if (begun === undefined) continue;
      const rest = text.slice(at);
      if (begun.some((form) => form.length > rest.length && form.startsWith(rest))) return at;
    }
    return text.length;
  };

  return {
    isEmpty: forms.length === 0,
    find(text) {
      const spans = findIn(text);
      const plain = forms.length === 0 ? undefined : unescapeText(text);
      if (plain === undefined) return spans;
      for (const span of findIn(plain.text)) {
        const original = plain.toOriginal(span);
        if (original !== undefined) spans.push(original);
      }
      return spans;
    },
    openEnd(text) {
      const end = openEndIn(text);
      if (forms.length === 0) return end;
      // As an entity, each unit of a secret takes six or seven; the longest form takes at least two.
      const from = Math.max(0, text.length - 4 * maxLength);
      const tail = text.slice(from).replace(openEscape, "");
      const plain = unescapeText(tail);
      const rest = plain?.text ?? tail;
      const open = openEndIn(rest);
      const start = plain?.toOriginal([open, rest.length])?.[0] ?? open;
      const isShort = rest.length - open < shortestBeginning && /[\r\n]/.test(tail.slice(start));
      return Math.min(end, from + (isShort ? tail.length : start));
    },
    findHalves: (line) => forms.flatMap((form) => halvesOf(form, line)),
  };
}

function halvesOf(form: string, line: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const shortest = Math.max(8, Math.ceil(form.length / 2));
  for (let length = Math.min(form.length - 1, line.length); length >= shortest; length--) {
    if (line.startsWith(form.slice(-length))) spans.push([0, length]);
    if (line.endsWith(form.slice(0, length))) spans.push([line.length - length, line.length]);
  }
  return spans;
}

function hashAt(text: string, at: number): number {
  const a = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1);
  return ((a * 31 + text.charCodeAt(at + 2)) * 31 + text.charCodeAt(at + 3)) & (hashSize - 1);
}

import { graphemes } from "../../../text/index.ts";

/** Where a text of at most `max` units may end without half a character: at `max` or a little before. */
function roomFor(text: string, max: number): number {
  // A character as people see it has few units; what has more is nobody's text.
  const start = Math.max(0, max - 64);
  let at = start;
  for (const character of graphemes(text.slice(start, max + 64))) {
    if (at + character.length > max) break;
    at += character.length;
  }
  return at;
}

/** Cuts a text to `max` units, its mark included: after a sentence where one ends late enough, else after a word. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const room = text.slice(0, roomFor(text, Math.max(0, max - 1)));
  const sentence = lastEnd(room, /[.!?](?=\s)|[。！？]|\n/g);
  if (sentence > room.length / 2) return `${room.slice(0, sentence).trimEnd()}…`;
  const word = lastEnd(room, /\s+(?=\S)|[，、；,;]/g);
  return `${(word > room.length / 2 ? room.slice(0, word) : room).trimEnd()}…`;
}

function lastEnd(text: string, mark: RegExp): number {
  let end = 0;
  for (const found of text.matchAll(mark)) end = found.index + found[0].length;
  return end;
}

/** Parts of at most `max` units each, split where a reader would pause if that is possible. */
export function breakText(text: string, max: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const room = rest.slice(0, roomFor(rest, max));
    const pause = lastEnd(room, /\n|[，、；,;:：]\s*|\s+/g);
    const end = pause > max / 3 ? pause : room.length;
    parts.push(rest.slice(0, end).trim());
    rest = rest.slice(end);
  }
  return [...parts, rest.trim()].filter((part) => part !== "");
}

import { graphemes } from "../../../text/index.ts";
import { sentenceEnds } from "./sentence-ends.ts";

/** How {@link truncateText} cuts. */
export interface TruncateOptions {
  /** Characters as people see them, the ending included. */
  readonly maxLength: number;
  /** Where to cut: after a sentence, a word, or any character. */
  readonly at?: "sentence" | "word" | "character";
  /** Put after a text that does not end with a sentence; `…` where absent. */
  readonly ending?: string;
}

/** A text that is short enough, and whether something is missing. */
export interface TruncatedText {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * Cuts a text to so many characters: after the last sentence that fits where that keeps a third or more, else after
 * a word where that keeps half or more, else after a character, and never inside of one.
 *
 * @example
 * ```ts
 * truncateText("It rained. We stayed at home.", { maxLength: 15 }); // { text: "It rained.", truncated: true }
 * ```
 */
export function truncateText(
  text: string,
  { maxLength, at = "sentence", ending = "…" }: TruncateOptions,
): TruncatedText {
  if (offsetOf(text, maxLength) === text.length) return { text, truncated: false };
  const mark = offsetOf(ending, maxLength) === ending.length ? ending : "";
  const room = offsetOf(text, maxLength - lengthOf(mark));
  if (at === "sentence") {
    // A sentence may fill all the room, since it needs no mark.
    const whole = offsetOf(text, maxLength);
    const end = lastSentence(text, whole);
    if (end >= whole / 3 && end > 0) return { text: text.slice(0, end).trimEnd(), truncated: true };
  }
  const head = text.slice(0, room);
  const word = at === "character" ? 0 : lastWord(head, text);
  return { text: (word >= room / 2 && word > 0 ? head.slice(0, word) : head).trimEnd() + mark, truncated: true };
}

/** How many units the first `count` characters take. */
function offsetOf(text: string, count: number): number {
  // No character is shorter than one unit.
  if (text.length <= count) return text.length;
  let offset = 0;
  let seen = 0;
  for (const character of graphemes(text)) {
    if (seen++ >= count) break;
    offset += character.length;
  }
  return offset;
}

function lengthOf(text: string): number {
  let count = 0;
  for (const _character of graphemes(text)) count++;
  return count;
}

function lastSentence(text: string, most: number): number {
  let last = 0;
  // A little more than fits, for what decides whether a stop ends a sentence.
  for (const end of sentenceEnds(text.slice(0, most + 16))) {
    if (text.slice(0, end).trimEnd().length > most) break;
    last = end;
  }
  return last;
}

/** Where the last word that is whole ends. Chinese has no blanks: its commas are pauses. */
function lastWord(head: string, text: string): number {
  if (/^\s/.test(text.slice(head.length, head.length + 1))) return head.length;
  let end = 0;
  for (const found of head.matchAll(/\s+|[，、；：]/g)) end = found.index + (/\s/.test(found[0]) ? 0 : found[0].length);
  return end;
}

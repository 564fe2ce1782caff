import { graphemes, sentenceEnds } from "../../../text/index.ts";

/** Size of a text. */
export interface TextCounts {
  /** Characters as people see them: an emoji of five code points is one. */
  readonly characters: number;
  /** Characters that are not blank. */
  readonly characters_without_spaces: number;
  /** Words of scripts with blanks between them, and each Chinese or Japanese character, as word processors count. */
  readonly words: number;
  readonly lines: number;
  readonly sentences: number;
  /** In UTF-8. */
  readonly bytes: number;
}

const words =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]]+(?:['’.\-][[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]]+)*/gv;

/**
 * Counts the characters, words, lines and sentences of a text, English, Chinese or mixed.
 *
 * @example
 * ```ts
 * countText("Hello 世界。"); // { characters: 9, words: 3, sentences: 1, lines: 1, … }
 * ```
 */
export function countText(text: string): TextCounts {
  let characters = 0;
  let blanks = 0;
  for (const character of graphemes(text)) {
    characters++;
    if (/^\s/.test(character)) blanks++;
  }
  return {
    characters,
    characters_without_spaces: characters - blanks,
    words: countMatches(text, words),
    lines: countLines(text),
    sentences: countSentences(text),
    bytes: Buffer.byteLength(text),
  };
}

function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _match of text.matchAll(pattern)) count++;
  return count;
}

/** A line end after the last line does not begin a new one. */
function countLines(text: string): number {
  if (text === "") return 0;
  return countMatches(text, /\r\n|[\r\n]/g) + (/[\r\n]$/.test(text) ? 0 : 1);
}

function countSentences(text: string): number {
  let count = 0;
  let from = 0;
  for (const end of [...sentenceEnds(text), text.length]) {
    if (/[\p{L}\p{N}]/u.test(text.slice(from, end))) count++;
    from = end;
  }
  return count;
}

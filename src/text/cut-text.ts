import { graphemes, graphemeBoundaryBefore, isGraphemeBoundary, wordSegments } from "./display-width.ts";
import { sentenceEnds } from "./sentence-ends.ts";

/** Boundary at which a text may be cut; if there is none near enough, the next one of this list applies. */
export type CutBoundary = "line" | "sentence" | "word" | "character";

/** Options for finding a cut point. */
export interface CutPointOptions {
  /** After a line or a sentence, a sentence, a word, or any character. */
  readonly at?: CutBoundary | undefined;
  /** Maximum number of units to drop for a better boundary; never more than half of them, which is the default. */
  readonly near?: number | undefined;
}

/** Options of {@link cutText}. */
export interface CutOptions extends CutPointOptions {
  /** The unit of the limit: UTF-16 units (default), or grapheme characters. */
  readonly count?: "units" | "characters" | undefined;
  /** Appended to a text that ends within a sentence. Default: `…`. */
  readonly ending?: string | undefined;
  /** Appended to a text that ends with a sentence. Default: nothing. */
  readonly afterSentence?: string | undefined;
}

/** A text within its limit, and whether it was cut. */
export interface CutText {
  readonly text: string;
  readonly cut: boolean;
}

/**
 * Cuts a text to at most `max` units, including the ending: after a sentence, English or Chinese, if one ends near
 * enough, else after a word, and never inside a grapheme. The time is linear in `max`, regardless of the length of
 * the text.
 *
 * @example
 * ```ts
 * cutText("It rained. We stayed at home.", 20); // { text: "It rained.", cut: true }
 * cutText("今天下雨，我们待在家里看书。", 9); // { text: "今天下雨，…", cut: true }
 * ```
 */
export function cutText(text: string, max: number, options: CutOptions = {}): CutText {
  const { at = "sentence", near, ending = "…", afterSentence = "", count = "units" } = options;
  const { unitsOf, lengthOf } = counts[count];
  if (unitsOf(text, max) === text.length) return { text, cut: false };
  if (at === "line" || at === "sentence") {
    const end = stopIn(text, unitsOf(text, max - lengthOf(afterSentence)), { at, near });
    if (end > 0) return { text: text.slice(0, end).trimEnd() + afterSentence, cut: true };
  }
  const mark = lengthOf(ending) <= max ? ending : "";
  const room = unitsOf(text, max - lengthOf(mark));
  const end = findCutPoint(text, room, { at: at === "character" ? at : "word", near });
  return { text: text.slice(0, end).trimEnd() + mark, cut: true };
}

/** A way to count: the UTF-16 units of the first `count` items, and the number of items. */
interface Count {
  readonly unitsOf: (text: string, count: number) => number;
  readonly lengthOf: (text: string) => number;
}

const counts: Readonly<Record<NonNullable<CutOptions["count"]>, Count>> = {
  units: {
    unitsOf: (text, count) => Math.max(0, Math.min(text.length, count)),
    lengthOf: (text) => text.length,
  },
  characters: {
    unitsOf: (text, count) => {
      // No character is shorter than one unit.
      if (text.length <= count) return text.length;
      let units = 0;
      let seen = 0;
      for (const character of graphemes(text)) {
        if (seen++ >= count) break;
        units += character.length;
      }
      return units;
    },
    lengthOf: (text) => [...graphemes(text)].length,
  },
};

/** The best offset to cut a text at, so that at most `limit` units precede it. */
export function findCutPoint(text: string, limit: number, { at = "sentence", near }: CutPointOptions = {}): number {
  if (text.length <= limit) return text.length;
  const stop = at === "line" || at === "sentence" ? stopIn(text, limit, { at, near }) : 0;
  if (stop > 0) return stop;
  const word = at === "character" ? 0 : wordIn(text, limit, minOf(limit, near));
  return word > 0 ? word : graphemeBoundaryBefore(text, limit);
}

/** The minimum length to retain. */
function minOf(limit: number, near = Infinity): number {
  return Math.max(limit - near, limit / 2, 1);
}

/** Maximum distance of the characters that decide whether a full stop ends a sentence. */
const around = 16;

/** The last end of a sentence, or a line, that fits; 0 if there is none near enough. */
function stopIn(text: string, limit: number, { at, near }: CutPointOptions): number {
  const min = minOf(limit, near);
  const from = Math.max(0, Math.floor(min) - around);
  const ends: number[] = [];
  for (const end of sentenceEnds(text.slice(from, limit + around))) {
    // Blanks after a sentence are dropped.
    const retained = from + text.slice(from, from + end).trimEnd().length;
    if (retained > limit) break;
    if (retained >= min) ends.push(retained);
  }
  const line = at === "line" ? text.lastIndexOf("\n", limit) : -1;
  if (line >= min) ends.push(line);
  return lastWhole(
    text,
    ends.toSorted((a, b) => b - a),
  );
}

/**
 * An offset may lie inside a grapheme, because combining marks can follow any character. After this number of attempts
 * the text is unlikely to have a good cut point.
 */
const maxTried = 8;

/** The first of these offsets that is between two graphemes; 0 if there is none. */
function lastWhole(text: string, offsets: Iterable<number>): number {
  let tried = 0;
  for (const offset of offsets) {
    if (isGraphemeBoundary(text, offset)) return offset;
    if (++tried === maxTried) break;
  }
  return 0;
}

/** The end of the last word that fits; 0 if there is none near enough. */
function wordIn(text: string, limit: number, min: number): number {
  const found = lastWhole(text, pausesIn(text, limit, min));
  return found > 0 ? found : lastWhole(text, denseWords(text, limit, min).toReversed());
}

const blank = /\s/;
/** Chinese has no blanks, but its commas are pauses. */
const pause = /[\s，、；：]/;

function* pausesIn(text: string, limit: number, min: number): Generator<number, void, undefined> {
  if (blank.test(text.charAt(limit))) yield limit;
  for (let end = limit; end >= min; end--) if (pause.test(text.charAt(end - 1))) yield end;
}

/** Number of units searched for words; a longer sequence is not a word. */
const maxWordLength = 64;
/** Chinese and Japanese characters with their punctuation: words end there without a blank. */
const dense = /[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uff65]/;

/** Ends of words in scripts without blanks, by a dictionary. */
function denseWords(text: string, limit: number, min: number): number[] {
  const ends: number[] = [];
  let end = graphemeBoundaryBefore(text, Math.max(0, limit - maxWordLength));
  for (const { segment } of wordSegments(text.slice(end, limit + maxWordLength))) {
    end += segment.length;
    if (end > limit) break;
    if (end >= min && (dense.test(text.charAt(end - 1)) || dense.test(text.charAt(end)))) ends.push(end);
  }
  return ends;
}

/** The maximum for each so that all together have at most `total`; the unused share of short ones goes to long ones. */
export function fairShare(lengths: readonly number[], total: number): number {
  let left = total;
  const rising = lengths.toSorted((a, b) => a - b);
  for (const [at, length] of rising.entries()) {
    const share = Math.floor(left / (rising.length - at));
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}

/** Characters of scripts without spaces. */
const unspaced = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;

/**
 * Estimated number of tokens of a text: four letters, or one character of a script without spaces, count as one.
 * Good enough for a budget; the model reports the real usage.
 *
 * @example
 * ```ts
 * estimateTokens("Searches the web."); // 5
 * estimateTokens("搜索网页"); // 4
 * ```
 */
export function estimateTokens(text: string): number {
  const characters = text.match(unspaced)?.length ?? 0;
  return characters + Math.ceil((text.length - characters) / 4);
}

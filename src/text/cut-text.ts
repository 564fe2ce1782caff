import { graphemes } from "./display-width.ts";
import { graphemePlace, isGraphemePlace } from "./grapheme-place.ts";
import { sentenceEnds } from "./sentence-ends.ts";

/** Where a text may be cut; where there is no such place near enough, the next one of this list counts. */
export type CutPlace = "line" | "sentence" | "word" | "character";

/** Where to look for a place. */
export interface PlaceOptions {
  /** After a line or a sentence, a sentence, a word, or any character. */
  readonly at?: CutPlace | undefined;
  /** How many units may be given up for a better place; never more than half of them, which is what is usual. */
  readonly near?: number | undefined;
}

/** How {@link cutText} cuts. */
export interface CutOptions extends PlaceOptions {
  /** What is counted: UTF-16 units, which is usual, or characters as people see them. */
  readonly count?: "units" | "characters" | undefined;
  /** Put after a text that ends within a sentence; `…` where absent. */
  readonly ending?: string | undefined;
  /** Put after a text that ends with a sentence; nothing where absent. */
  readonly afterSentence?: string | undefined;
}

/** A text that is short enough, and whether something is missing. */
export interface CutText {
  readonly text: string;
  readonly cut: boolean;
}

/**
 * Cuts a text to at most `max` units, what is put after it included: after a sentence, English or Chinese, where one
 * ends near enough, else after a word, and never inside of a character as people see it. The time is linear in `max`,
 * however long the text is.
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
  const end = placeToCut(text, room, { at: at === "character" ? at : "word", near });
  return { text: text.slice(0, end).trimEnd() + mark, cut: true };
}

/** How to count: the units that the first so many take, and how many there are. */
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

/** The best place to cut a text at, so that at most `most` units are before it. */
export function placeToCut(text: string, most: number, { at = "sentence", near }: PlaceOptions = {}): number {
  if (text.length <= most) return text.length;
  const stop = at === "line" || at === "sentence" ? stopIn(text, most, { at, near }) : 0;
  if (stop > 0) return stop;
  const word = at === "character" ? 0 : wordIn(text, most, leastOf(most, near));
  return word > 0 ? word : graphemePlace(text, most);
}

/** What has to be kept. */
function leastOf(most: number, near = Infinity): number {
  return Math.max(most - near, most / 2, 1);
}

/** What decides whether a stop ends a sentence stands at most so far from it. */
const around = 16;

/** The last end of a sentence, or a line, that fits; 0 where there is none near enough. */
function stopIn(text: string, most: number, { at, near }: PlaceOptions): number {
  const least = leastOf(most, near);
  const from = Math.max(0, Math.floor(least) - around);
  const ends: number[] = [];
  for (const end of sentenceEnds(text.slice(from, most + around))) {
    // Blanks after a sentence are not kept.
    const kept = from + text.slice(from, from + end).trimEnd().length;
    if (kept > most) break;
    if (kept >= least) ends.push(kept);
  }
  const line = at === "line" ? text.lastIndexOf("\n", most) : -1;
  if (line >= least) ends.push(line);
  return lastWhole(
    text,
    ends.toSorted((a, b) => b - a),
  );
}

/** A place may lie inside of a character, as marks can follow anything. Where many do, it is no text to be cut well. */
const mostTried = 8;

/** The first of these places that is between two characters; 0 where there is none. */
function lastWhole(text: string, places: Iterable<number>): number {
  let tried = 0;
  for (const place of places) {
    if (isGraphemePlace(text, place)) return place;
    if (++tried === mostTried) break;
  }
  return 0;
}

/** The end of the last word that fits; 0 where there is none near enough. */
function wordIn(text: string, most: number, least: number): number {
  const found = lastWhole(text, pausesIn(text, most, least));
  return found > 0 ? found : lastWhole(text, denseWords(text, most, least).toReversed());
}

const blank = /\s/;
/** Chinese has no blanks, but its commas are pauses. */
const pause = /[\s，、；：]/;

function* pausesIn(text: string, most: number, least: number): Generator<number, void, undefined> {
  if (blank.test(text.charAt(most))) yield most;
  for (let end = most; end >= least; end--) if (pause.test(text.charAt(end - 1))) yield end;
}

/** Words are looked for in so many units; what is longer is none. */
const longestWord = 64;
/** Chinese and Japanese characters, and the punctuation that goes with them: words end there without a blank. */
const dense = /[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uff65]/;

let segmenter: Intl.Segmenter | undefined;

/** Where words of scripts without blanks end, as a dictionary knows them. */
function denseWords(text: string, most: number, least: number): number[] {
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  const ends: number[] = [];
  let end = graphemePlace(text, Math.max(0, most - longestWord));
  for (const { segment } of segmenter.segment(text.slice(end, most + longestWord))) {
    end += segment.length;
    if (end > most) break;
    if (end >= least && (dense.test(text.charAt(end - 1)) || dense.test(text.charAt(end)))) ends.push(end);
  }
  return ends;
}

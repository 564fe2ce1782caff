import type { CaptionSegment, Cue, CueList } from "./captions.ts";

/** Cues closer than this, in seconds, follow each other. */
const touching = 0.25;
/** Captions are rolling if at least this share of the cues repeats lines of the previous one. */
const rollingShare = 0.3;

/**
 * Converts cues to segments in the order of time. Rolling captions show each line twice or three times (as the lower
 * one, alone, as the upper one), or word by word; it becomes one segment. Other captions may repeat a text intentionally.
 */
export function rollUp({ cues, rolling }: CueList): CaptionSegment[] {
  const ordered = isOrdered(cues) ? cues : cues.toSorted((a, b) => a.start - b.start);
  return rolling || looksRolling(ordered) ? withoutRepeats(ordered) : withoutDoubles(ordered);
}

function isOrdered(cues: readonly Cue[]): boolean {
  return cues.every((cue, at) => at === 0 || cue.start >= (cues[at - 1]?.start ?? 0));
}

/**
 * True if enough cues repeat the end of the previous one. A single repeated line may be intentional; the last line of
 * one cue as the first of several is not, nor is a line that grows, or begins with the last words of the previous one.
 */
function looksRolling(cues: readonly Cue[]): boolean {
  const found = { line: 0, longLine: 0, words: 0 };
  for (const [at, cue] of cues.entries()) {
    const before = cues[at - 1];
    const kind = before !== undefined && follows(before, cue) ? repetitionIn(before, cue) : undefined;
    if (kind !== undefined) found[kind]++;
  }
  const lines = found.line + found.longLine;
  if (lines > 2 && lines >= cues.length * rollingShare) return true;
  const clear = found.longLine + found.words;
  return clear >= (found.longLine > 0 ? 1 : 2) && clear >= (cues.length - 1) * rollingShare;
}

function repetitionIn(before: Cue, cue: Cue): "line" | "longLine" | "words" | undefined {
  const lines = cue.lines.length > 1 ? overlap(before.lines, cue.lines) : 0;
  if (lines === 0) return repeatedText(before, cue) === undefined ? undefined : "words";
  return isLong(cue.lines.slice(0, lines).join(" ")) ? "longLine" : "line";
}

function follows(before: Cue, cue: Cue): boolean {
  return cue.start - before.end <= touching;
}

/** Number of lines at the end of the first list that begin the second. */
function overlap(before: readonly string[], after: readonly string[]): number {
  for (let count = Math.min(before.length, after.length, 8); count > 0; count--) {
    if (after.slice(0, count).every((line, at) => line === before[before.length - count + at])) return count;
  }
  return 0;
}

/** The text of a cue that repeats text of the previous one. */
interface RepeatedText {
  /** The text that is not repeated. */
  readonly fresh: string;
  /** The whole previous cue is repeated, so the text continues it. */
  readonly grows: boolean;
}

/** The repetition in a cue that shows the end of the previous one again, in other lines; undefined if there is none. */
function repeatedText(before: Cue, cue: Cue): RepeatedText | undefined {
  const [shown, text] = [before.lines.join(" "), cue.lines.join(" ")];
  if (shown === text || shown === "") return undefined;
  if (text.startsWith(shown) && isWordBoundary(text, shown.length)) {
    return { fresh: text.slice(shown.length), grows: true };
  }
  const length = sharedLength(shown.slice(-maxShared), text.slice(0, maxShared));
  return isLong(text.slice(0, length)) ? { fresh: text.slice(length).trim(), grows: false } : undefined;
}

/** Maximum length of a repetition in other lines. */
const maxShared = 400;

/** Length of the longest whole words at the end of a text that begin the other, by the prefix function of Knuth, Morris and Pratt. */
function sharedLength(before: string, after: string): number {
  const text = `${after}\0${before}`;
  const lengths = [0];
  for (let at = 1; at < text.length; at++) {
    let length = lengths[at - 1] ?? 0;
    while (length > 0 && text[at] !== text[length]) length = lengths[length - 1] ?? 0;
    lengths.push(text[at] === text[length] ? length + 1 : 0);
  }
  let length = lengths.at(-1) ?? 0;
  while (length > 0 && !(isWordBoundary(after, length) && isWordBoundary(before, before.length - length)))
    length = lengths[length - 1] ?? 0;
  return length;
}

/** True if no word continues at this offset; in Chinese and Japanese, any character may begin a word. */
function isWordBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  return /[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text.slice(at - 1, at + 1));
}

/** True for a text that is not repeated by chance: at least three words, or six Chinese characters. */
function isLong(text: string): boolean {
  return /\S\s+\S+\s+\S/.test(text) || /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{6}/u.test(text);
}

function withoutRepeats(cues: readonly Cue[]): CaptionSegment[] {
  const segments: CaptionSegment[] = [];
  let before: Cue | undefined;
  for (const cue of cues) {
    const previous = before !== undefined && follows(before, cue) ? before : undefined;
    const { fresh, grows } = freshText(previous, cue, segments.at(-1)?.text);
    const last = segments.at(-1);
    const end = Math.max(last?.end ?? 0, cue.end);
    // Without new text, the line stays on the screen; or it is extended word by word.
    if (last !== undefined && grows) segments[segments.length - 1] = { ...last, end, text: last.text + fresh };
    else if (fresh !== "") segments.push({ start: cue.start, end: cue.end, text: fresh });
    before = cue;
  }
  return segments;
}

/** The text of a cue that was not shown yet. */
function freshText(previous: Cue | undefined, cue: Cue, last: string | undefined): RepeatedText {
  if (previous === undefined) return { fresh: cue.lines.join(" "), grows: false };
  const shown = overlap(previous.lines, cue.lines);
  const repeated = shown === 0 ? repeatedText(previous, cue) : undefined;
  const fresh = repeated?.fresh ?? cue.lines.slice(shown).join(" ");
  if (repeated?.grows === true || fresh === "") return { fresh, grows: true };
  const isLonger = last !== undefined && fresh.startsWith(`${last} `);
  return isLonger ? { fresh: fresh.slice(last.length), grows: true } : { fresh, grows: false };
}

/** Every cue, without exact duplicates. */
function withoutDoubles(cues: readonly Cue[]): CaptionSegment[] {
  const segments: CaptionSegment[] = [];
  for (const { start, end, lines } of cues) {
    const text = lines.join(" ");
    const last = segments.at(-1);
    if (last?.text === text && last.start === start && last.end === end) continue;
    segments.push({ start, end, text });
  }
  return segments;
}

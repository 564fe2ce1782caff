import type { CaptionSegment, Cue, CueList } from "./captions.ts";

/** Cues closer than this, in seconds, follow each other. */
const touching = 0.25;
/** Captions roll up when so many of the cues repeat lines of the one before. */
const rollingShare = 0.3;

/**
 * Cues as segments in the order of time. Where captions roll up, each line is shown twice or three times (as the
 * lower one, alone, as the upper one); it becomes one segment. Other captions may well say the same thing twice.
 */
export function rollUp({ cues, rolling }: CueList): CaptionSegment[] {
  const ordered = isOrdered(cues) ? cues : cues.toSorted((a, b) => a.start - b.start);
  return rolling || looksRolling(ordered) ? withoutRepeats(ordered) : withoutDoubles(ordered);
}

function isOrdered(cues: readonly Cue[]): boolean {
  return cues.every((cue, at) => at === 0 || cue.start >= (cues[at - 1]?.start ?? 0));
}

function looksRolling(cues: readonly Cue[]): boolean {
  let repeats = 0;
  for (const [at, cue] of cues.entries()) {
    const before = cues[at - 1];
    // A single line that is repeated may be meant; the last line of one as the first of several is not.
    if (before !== undefined && cue.lines.length > 1 && follows(before, cue) && overlap(before.lines, cue.lines) > 0)
      repeats++;
  }
  return repeats > 2 && repeats >= cues.length * rollingShare;
}

function follows(before: Cue, cue: Cue): boolean {
  return cue.start - before.end <= touching;
}

/** How many lines at the end of one are those at the beginning of the other. */
function overlap(before: readonly string[], after: readonly string[]): number {
  for (let count = Math.min(before.length, after.length, 8); count > 0; count--) {
    if (after.slice(0, count).every((line, at) => line === before[before.length - count + at])) return count;
  }
  return 0;
}

function withoutRepeats(cues: readonly Cue[]): CaptionSegment[] {
  const segments: CaptionSegment[] = [];
  let before: Cue | undefined;
  for (const cue of cues) {
    const shown = before !== undefined && follows(before, cue) ? overlap(before.lines, cue.lines) : 0;
    const fresh = cue.lines.slice(shown).join(" ");
    const last = segments.at(-1);
    if (fresh === "") {
      // The line stays on the screen.
      if (last !== undefined) segments[segments.length - 1] = { ...last, end: Math.max(last.end, cue.end) };
    } else if (
      last !== undefined &&
      before !== undefined &&
      follows(before, cue) &&
      fresh.startsWith(`${last.text} `)
    ) {
      // The line grows word by word.
      segments[segments.length - 1] = { ...last, end: Math.max(last.end, cue.end), text: fresh };
    } else segments.push({ start: cue.start, end: cue.end, text: fresh });
    before = cue;
  }
  return segments;
}

/** Every cue, except where the same one is there twice. */
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

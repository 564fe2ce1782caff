/** A text that is at most so long, and whether that cost anything. */
export interface CutText {
  readonly text: string;
  readonly cut: boolean;
}

/** Cuts a text at the end of a line or a word where one is near, and never inside of a character. */
export function cutText(text: string, maxChars: number): CutText {
  if (text.length <= maxChars) return { text, cut: false };
  const part = text.slice(0, maxChars);
  const near = Math.max(0, maxChars - 200);
  const end = [part.lastIndexOf("\n"), part.lastIndexOf(" ")].find((at) => at > near && at > maxChars / 2) ?? maxChars;
  const kept = part.slice(0, end);
  // Half of a pair at the end is no character.
  return { text: kept.isWellFormed() ? kept.trimEnd() : kept.slice(0, -1).trimEnd(), cut: true };
}

import { graphemePlace } from "./grapheme-place.ts";
import { showUnsafe } from "./strip-unsafe.ts";

/**
 * Text of unknown origin as it may stand in a message: in quotes, in one line, not long, with every character seen.
 *
 * @example
 * ```ts
 * quoteText("abc\u202e"); // "abc<U+202E>", with the quotes
 * ```
 */
export function quoteText(text: string, longest: number = 80): string {
  const shown = text.length > longest ? `${text.slice(0, graphemePlace(text, longest))}…` : text;
  return JSON.stringify(showUnsafe(shown));
}

import { graphemes } from "./display-width.ts";

/** Characters that always start a new grapheme. */
const starter = /[\n\x20-\x7e\u00a1-\u00ac\u3001-\u3029\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff5e]/;

/** The last offset at or before `at`, in UTF-16 units, that is not inside a grapheme. */
export function graphemeBoundaryBefore(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  let start = at;
  // Flags and joined emoji can only be recognized from their beginning; most characters are beginnings.
  do start--;
  while (start > 0 && !starter.test(text.charAt(start)));
  let offset = start;
  // The preceding text and the next character decide whether there is a boundary here.
  for (const character of graphemes(text.slice(start, at + 2))) {
    if (offset + character.length > at) break;
    offset += character.length;
  }
  return offset;
}

/** True if an offset, in UTF-16 units, is between two graphemes. */
export function isGraphemeBoundary(text: string, at: number): boolean {
  return graphemeBoundaryBefore(text, at) === at;
}

import { graphemes } from "./display-width.ts";

/** Characters that nothing before them can draw into one character as people see it. */
const starter = /[\n\x20-\x7e\u00a1-\u00ac\u3001-\u3029\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff5e]/;

/** The last place at or before `at`, in UTF-16 units, that is not inside of a character as people see it. */
export function graphemePlace(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  let start = at;
  // Flags and joined emoji show only from their beginning where they end; most characters are beginnings.
  do start--;
  while (start > 0 && !starter.test(text.charAt(start)));
  let place = start;
  // Whether characters part here is for what is before and for the next one to say.
  for (const character of graphemes(text.slice(start, at + 2))) {
    if (place + character.length > at) break;
    place += character.length;
  }
  return place;
}

/** Is a place, in UTF-16 units, between two characters as people see them? */
export function isGraphemePlace(text: string, at: number): boolean {
  return graphemePlace(text, at) === at;
}

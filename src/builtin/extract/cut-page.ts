import { type CutText, cutText } from "../../text/index.ts";

/** Cuts the text of a page after a line, a sentence or a word where one ends near; little of what fits is given up. */
export function cutPage(text: string, maxChars: number): CutText {
  return cutText(text, maxChars, { at: "line", near: 200, ending: "" });
}

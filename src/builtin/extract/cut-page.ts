import { type CutText, cutText } from "../../text/index.ts";

/** Cuts the text of a page at the end of a line, a sentence or a word if one is near, so that little is lost. */
export function cutPage(text: string, maxChars: number): CutText {
  return cutText(text, maxChars, { at: "line", near: 200, ending: "" });
}

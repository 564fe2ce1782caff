import { cutText } from "../../../text/index.ts";

/** Cuts a summary to `max` units, a mark that it goes on included: after a sentence or a line where one ends in time. */
export function cutSummary(text: string, max: number): string {
  return cutText(text, max, { at: "line", afterSentence: "…" }).text;
}

import { cutText } from "../../../text/index.ts";

/** Cuts a summary to `max` units, including a mark that it was cut: after a sentence or a line if one ends in time. */
export function cutSummary(text: string, max: number): string {
  return cutText(text, max, { at: "line", afterSentence: "…" }).text;
}

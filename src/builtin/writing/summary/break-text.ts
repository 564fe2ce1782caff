import { placeToCut } from "../../../text/index.ts";

/** Parts of at most `max` units each, split where a reader would pause if that is possible. */
export function breakText(text: string, max: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    // One character that is longer than all the room is nobody's text.
    const end = placeToCut(rest, max, { at: "word" }) || max;
    parts.push(rest.slice(0, end).trim());
    rest = rest.slice(end);
  }
  return [...parts, rest.trim()].filter((part) => part !== "");
}

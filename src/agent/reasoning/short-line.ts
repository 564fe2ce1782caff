import { cutText, stripUnsafe } from "../../text/index.ts";

/** Text of any origin on one line of at most so many characters. */
export function shortLine(text: string, longest: number): string {
  // What is far beyond the end need not be looked at.
  const line = stripUnsafe(text.slice(0, longest * 4))
    .replaceAll(/\s+/g, " ")
    .trim();
  return cutText(line, longest, { at: "character" }).text;
}

/** Any value on one line. */
export function shortValue(value: unknown, longest: number): string {
  if (typeof value === "string") return shortLine(value, longest);
  try {
    return shortLine(JSON.stringify(value) ?? String(value), longest);
  } catch {
    return shortLine(String(value), longest);
  }
}

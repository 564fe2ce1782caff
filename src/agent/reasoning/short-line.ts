import { cutText, stripUnsafe } from "../../text/index.ts";

/** Converts text of any origin to one line of at most `maxLength` characters. */
export function shortLine(text: string, maxLength: number): string {
  // Text far beyond the end is not processed.
  const line = stripUnsafe(text.slice(0, maxLength * 4))
    .replaceAll(/\s+/g, " ")
    .trim();
  return cutText(line, maxLength, { at: "character" }).text;
}

/** Any value on one line. */
export function shortValue(value: unknown, maxLength: number): string {
  if (typeof value === "string") return shortLine(value, maxLength);
  try {
    return shortLine(JSON.stringify(value) ?? String(value), maxLength);
  } catch {
    return shortLine(String(value), maxLength);
  }
}

import { inspect } from "node:util";
import { toOneLine } from "./format-table.ts";

/** Formats any value on one line of at most `maxLength` characters, including values that JSON cannot represent. */
export function shortText(value: unknown, maxLength = 1000): string {
  // Lines may have any length; text beyond the maximum need not be processed.
  const line = toOneLine(displayText(value).slice(0, maxLength * 4));
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line;
}

function displayText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return inspect(value, { depth: 3, breakLength: Infinity });
  }
}

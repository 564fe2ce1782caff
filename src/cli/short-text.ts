import { inspect } from "node:util";
import { oneLine } from "./format-table.ts";

/** Whatever a tool reports, on one line of at most so many characters; it may be something that JSON cannot write. */
export function shortText(value: unknown, longest = 1000): string {
  // Lines of any length come; what is beyond the end need not be looked at.
  const line = oneLine(textOf(value).slice(0, longest * 4));
  return line.length > longest ? `${line.slice(0, longest - 1).toWellFormed()}…` : line;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return inspect(value, { depth: 3, breakLength: Infinity });
  }
}

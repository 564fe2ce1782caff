import type { ExtractOptions, ExtractedPage } from "./extracted-page.ts";
import { fenceFor } from "./inline-writer.ts";
import { oneLine } from "./page-sink.ts";
import { plainPage } from "./plain-page.ts";

/** Longer ones are given as they are: reading them would hold the event loop. */
const maxParsed = 400_000;

/** JSON, laid out for reading, with a summary of its shape. What is no proper JSON is given as it is. */
export function readJson(text: string, options: ExtractOptions): ExtractedPage {
  const parsed = text.length <= maxParsed ? parse(text) : undefined;
  const shown = parsed === undefined ? text : layOut(parsed.value, text);
  const fence = fenceFor(shown.slice(0, maxParsed), 3);
  return plainPage(
    {
      kind: "json",
      text: shown,
      markdown: `${fence}json\n${shown}\n${fence}`,
      title: titleOf(parsed?.value),
      ...(parsed !== undefined && { excerpt: shapeOf(parsed.value) }),
    },
    options,
  );
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return { value };
  } catch {
    return undefined;
  }
}

function layOut(value: unknown, text: string): string {
  try {
    return JSON.stringify(value, undefined, 2);
  } catch {
    // Too deep to be written again.
    return text;
  }
}

function titleOf(value: unknown): string {
  for (const key of ["title", "name"]) {
    const found: unknown = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof found === "string") return oneLine(found);
  }
  return "";
}

/** What kind of value it is. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) {
    const [first]: unknown[] = value;
    const items = value.length === 1 ? "1 item" : `${value.length} items`;
    return isObject(first) && !Array.isArray(first)
      ? `a list of ${items}, the first with ${keysOf(first)}`
      : `a list of ${items}`;
  }
  return isObject(value) ? `an object with ${keysOf(value)}` : `a ${value === null ? "null" : typeof value}`;
}

function keysOf(value: Record<string, unknown>): string {
  const keys = Object.keys(value);
  const shown = keys.slice(0, 12).join(", ");
  return oneLine(keys.length === 0 ? "no keys" : `the keys ${shown}${keys.length > 12 ? ", …" : ""}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

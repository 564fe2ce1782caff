import { layOutJson } from "../../text/index.ts";
import { type ExtractOptions, type ExtractedPage, maxCharsOf } from "./extracted-page.ts";
import { fenceFor } from "./inline-writer.ts";
import { oneLine } from "./page-sink.ts";
import { plainPage } from "./plain-page.ts";

/** JSON, laid out for reading, with a summary of its shape. What is no proper JSON is given as it is. */
export function readJson(text: string, options: ExtractOptions): ExtractedPage {
  const parsed = parse(text);
  const shown = parsed === undefined ? { text, cut: false } : layOutJson(text, maxCharsOf(options) + 1);
  const fence = fenceFor(shown.text, 3);
  return plainPage(
    {
      kind: "json",
      ...shown,
      markdown: `${fence}json\n${shown.text}\n${fence}`,
      title: titleOf(parsed?.value),
      ...(parsed !== undefined && { excerpt: shapeOf(parsed.value) }),
    },
    options,
  );
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined;
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

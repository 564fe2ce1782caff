import { isRounded, readData } from "./read-data.ts";
import { isObject } from "./change-value.ts";

/** How {@link formatJson} writes. */
export interface FormatOptions {
  /** Blanks for each level; 0 writes everything in one line. */
  readonly indent: number;
  readonly sortKeys: boolean;
}

/** What newer engines have and the compiler's library does not name. */
const raw = JSON as typeof JSON & {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/** JSON text written anew; integers of any length keep their digits. */
export function formatJson(given: unknown, { indent, sortKeys }: FormatOptions): string {
  const { value, inexact } = readData(given, "data");
  const exact = inexact && typeof given === "string" ? keepDigits(given) : value;
  return JSON.stringify(exact, sortKeys ? sorted : undefined, indent);
}

function keepDigits(text: string): unknown {
  return JSON.parse(text.replace(/^\ufeff/, ""), (_key, item: unknown, written?: { readonly source?: string }) =>
    isRounded(item, written?.source ?? "") ? raw.rawJSON(written?.source ?? "") : item,
  );
}

function sorted(_key: string, item: unknown): unknown {
  if (!isObject(item) || raw.isRawJSON(item)) return item;
  return Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

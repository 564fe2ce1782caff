import { isRecord } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";

/** JSON writes control characters as escapes: a text that looks clean may contain them once it is parsed. */
const escapes = /\\[ubfr]/;

/**
 * Serializes an output as JSON, without invisible characters in its texts and keys; undefined if it is not JSON.
 * Cleaned value by value: in the serialized text, an escape sequence that one value begins could swallow the quote
 * after it.
 */
export function cleanJson(output: unknown): string | undefined {
  try {
    const text = JSON.stringify(output) as string | undefined;
    return text === undefined ? undefined : cleanText(text, output);
  } catch {
    // The value is cyclic, or a getter threw; the engine rejects such outputs.
    return undefined;
  }
}

/** The same for an output that is already serialized. */
export function cleanText(text: string, output: unknown): string {
  if (!escapes.test(text) && stripUnsafe(text) === text) return text;
  return JSON.stringify(output, (_key, value: unknown) => {
    if (typeof value === "string") return stripUnsafe(value);
    return isRecord(value) ? withCleanKeys(value) : value;
  });
}

function withCleanKeys(value: Readonly<Record<string, unknown>>): object {
  const keys = Object.keys(value);
  if (keys.every((key) => stripUnsafe(key) === key)) return value;
  const taken = new Set(keys);
  return Object.fromEntries(keys.map((key) => [uniqueKey(key, taken), value[key]]));
}

/** Keys that differ only by invisible characters stay separate: a cleaned key yields to the key that has the name. */
function uniqueKey(key: string, taken: Set<string>): string {
  const clean = stripUnsafe(key);
  if (clean === key) return key;
  let own = clean;
  for (let count = 2; taken.has(own); count++) own = `${clean} (${count})`;
  taken.add(own);
  return own;
}

import { isRecord } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";

/** JSON writes control characters as escapes: what looks clean may not be once it is read. */
const escapes = /\\[ubfr]/;

/**
 * An output as JSON text, without what nobody sees in its texts and keys; undefined where it is no JSON. Cleaned value by
 * value: in the text of the whole, an escape sequence that one value begins could swallow the quote after it.
 */
export function cleanJson(output: unknown): string | undefined {
  try {
    const text = JSON.stringify(output) as string | undefined;
    return text === undefined ? undefined : cleanText(text, output);
  } catch {
    // It holds itself, or something threw; the engine lets no such output pass.
    return undefined;
  }
}

/** The same for those who have written it already. */
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
  return Object.fromEntries(keys.map((key) => [ownKey(key, taken), value[key]]));
}

/** Keys that differ only by what nobody sees stay two: one that is changed gives way to those that have the name. */
function ownKey(key: string, taken: Set<string>): string {
  const clean = stripUnsafe(key);
  if (clean === key) return key;
  let own = clean;
  for (let count = 2; taken.has(own); count++) own = `${clean} (${count})`;
  taken.add(own);
  return own;
}

import { stripUnsafe } from "../../text/index.ts";

/**
 * JSON that is safe to show: characters that could control a terminal or hide in a text are written as `\u…`, so that a
 * program reads exactly the same value.
 */
export function safeJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, undefined, indent) ?? "null";
  if (stripUnsafe(text) === text) return text;
  return (
    text
      // oxlint-disable-next-line no-misleading-character-class -- joiners and selectors themselves, in a row
      .replace(/[\u200c\u200d\ufe0e\ufe0f]{3,}/g, escaped)
      .replace(/[^\n\x20-\x7e]/gu, (character) =>
        stripUnsafe(character) === character ? character : escaped(character),
      )
  );
}

/** Escapes every UTF-16 unit as in JSON. */
function escaped(text: string): string {
  let result = "";
  for (let index = 0; index < text.length; index++) {
    result += `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return result;
}

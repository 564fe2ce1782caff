import { showUnsafe } from "../text/index.ts";

/** Notation of a character that must not be displayed. */
const written = /<U\+([0-9A-F]{4,6})>/g;

/**
 * Joiners and selectors belong to scripts and emoji, keys such as 1️⃣ among them; after plain letters they only make two
 * names look the same.
 */
// oxlint-disable-next-line no-control-regex, no-misleading-character-class
const strayJoiner = /(?<=^|[\0-\x7e\u200c\u200d\ufe0e\ufe0f])(?!\ufe0f\u20e3)[\u200c\u200d\ufe0e\ufe0f]/g;

/**
 * A path as it can be shown to people and models: characters that would reorder, hide or move text appear as
 * `<U+202E>`. File access also accepts this form, and it is unique for each path.
 *
 * @example
 * ```ts
 * showPath("photo\u202egpj.exe"); // "photo<U+202E>gpj.exe"
 * ```
 */
export function showPath(path: string): string {
  const literal = path.replace(/<(?=U\+[0-9A-F]{4,6}>)/g, write).replace(strayJoiner, write);
  if (showUnsafe(literal) === literal) return literal;
  return Array.from(literal, (character) => (showUnsafe(character) === character ? character : write(character))).join(
    "",
  );
}

/** The path that {@link showPath} displays like this; undefined if it is only the text itself. */
export function readShownPath(shown: string): string | undefined {
  if (shown.search(written) === -1) return undefined;
  const path = shown.replace(written, (text, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code > 0x10ffff ? text : String.fromCodePoint(code);
  });
  // Also rejects escapes of characters that need none, such as slashes and dots.
  return showPath(path) === shown ? path : undefined;
}

/** The same for a path from a user, which may already be in displayed form. */
export function showUserPath(path: string): string {
  return readShownPath(path) === undefined ? showPath(path) : path;
}

function write(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
}

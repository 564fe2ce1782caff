import type { Pattern } from "./pattern.ts";

/** One character: itself, one of a class, a digit, a word character, or a mark that has to be escaped. */
const atom = String.raw`(?:[A-Za-z0-9_:/@#%&~,;'"=!<> -]|\\[dw.\-/+*?$^|()[\]{}]|\[(?:[A-Za-z0-9_:/@#%&~,;=!<> ]|[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|\.)+-?\])`;
const plain = new RegExp(String.raw`^\^(?:${atom}(?:[?*+]|\{[1-9]\})?)*\$?$`);
const step = new RegExp(String.raw`${atom}([?*+]|\{[1-9]\})?`, "g");

/**
 * Patterns that JavaScript's own matcher can be trusted with, which most are: bound to the beginning, without groups,
 * with one endless repetition and two optional characters at most, so that there is next to nothing to try again.
 * Undefined for all others.
 */
export function plainPattern(source: string): Pattern | undefined {
  if (!plain.test(source)) return undefined;
  const counts = Array.from(source.slice(1).matchAll(step), ([, count = ""]) => count);
  const endless = counts.filter((count) => count === "*" || count === "+").length;
  const optional = counts.filter((count) => count === "?").length;
  if (endless > 1 || optional > 2) return undefined;
  let matcher: RegExp;
  try {
    matcher = new RegExp(source, "u");
  } catch {
    // Whoever compiles it in earnest says what is wrong.
    return undefined;
  }
  return { stepsPerCharacter: source.length, test: (text) => matcher.test(text) };
}

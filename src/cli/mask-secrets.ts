import type { Redactor } from "../text/index.ts";

/**
 * The lines of a file with dots over what is secret, each as long as it was: what is underlined below stays in its place.
 * What only names a secret stays too, since that is what a problem may be about.
 */
export function maskSecrets(source: string, redactor: Redactor): string {
  return source
    .split("\n")
    .map((line) => maskLine(line, redactor.text(line)))
    .join("\n");
}

function maskLine(line: string, redacted: string): string {
  if (line === redacted) return line;
  const shorter = Math.min(line.length, redacted.length);
  let start = 0;
  while (start < shorter && line[start] === redacted[start]) start++;
  let end = 0;
  while (end < shorter - start && line.at(-1 - end) === redacted.at(-1 - end)) end++;
  const hidden = line.slice(start, line.length - end);
  return namesOnly(hidden) ? line : line.slice(0, start) + "•".repeat(hidden.length) + line.slice(line.length - end);
}

/** `${secret.NAME}`, maybe with the word that goes before a key in a header. */
function namesOnly(text: string): boolean {
  return text.includes("${") && /^\s*(?:bearer|basic|token)?\s*$/i.test(text.replaceAll(/\$\{[^{}]*\}/g, ""));
}

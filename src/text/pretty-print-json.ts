import type { CutText } from "./cut-text.ts";

/**
 * Formats JSON text over lines, two spaces per level, up to `maxChars` characters. Every value stays as written, so
 * that a long number keeps its digits. The work is bounded by the output, regardless of the nesting depth: formatted
 * completely, a small text can take gigabytes. Invalid JSON produces some output, without an error.
 *
 * @example
 * ```ts
 * prettyPrintJson('{"id":12345678901234567890}', 100); // { text: '{\n  "id": 12345678901234567890\n}', cut: false }
 * ```
 */
export function prettyPrintJson(json: string, maxChars: number): CutText {
  let laid = "";
  let depth = 0;
  let at = 0;
  while (at < json.length && laid.length <= maxChars) {
    const end = tokenEnd(json, at);
    const token = json.slice(at, end);
    if (token === "}" || token === "]") depth--;
    else if (token === "{" || token === "[") depth++;
    laid += laidOut(token, depth);
    at = end;
  }
  const cut = laid.length > maxChars || nextSign(json, at) < json.length;
  return { text: cut ? laid.slice(0, maxChars).toWellFormed() : laid, cut };
}

/** A token with its surrounding white space. */
function laidOut(token: string, depth: number): string {
  switch (token) {
    case "{":
    case "[":
    case ",":
      return token + lineAt(depth);
    case "}":
    case "]":
      return lineAt(depth) + token;
    case ":":
      return ": ";
    default:
      // An empty list or object is one token, regardless of the space inside.
      return /^[{[]/.test(token) ? token.replaceAll(/\s+/g, "") : token.trim();
  }
}

function lineAt(depth: number): string {
  return `\n${"  ".repeat(Math.max(0, depth))}`;
}

const anySign = /\S|$/g;
const endOfWord = /["{}[\],:]|$/g;

/** Start of the next token. */
function nextSign(json: string, at: number): number {
  return nextMatchIndex(anySign, json, at);
}

/** End of the token that begins here: a text, a sign, an empty list or object, or a word with the space around it. */
function tokenEnd(json: string, at: number): number {
  const sign = json[at] ?? "";
  if (sign === '"') return textEnd(json, at);
  if (sign === "{" || sign === "[") {
    const next = nextSign(json, at + 1);
    return json[next] === (sign === "{" ? "}" : "]") ? next + 1 : at + 1;
  }
  return "}],:".includes(sign) ? at + 1 : nextMatchIndex(endOfWord, json, at);
}

function nextMatchIndex(pattern: RegExp, json: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(json)?.index ?? json.length;
}

function textEnd(json: string, start: number): number {
  let end = start;
  do end = json.indexOf('"', end + 1);
  while (end !== -1 && isEscaped(json, end));
  return end === -1 ? json.length : end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json[before - 1] === "\\") before--;
  return (at - before) % 2 === 1;
}

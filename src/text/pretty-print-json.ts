import type { CutText } from "./cut-text.ts";

/**
 * JSON text laid out over lines, two spaces a level, up to so many characters. Every value stays as it is written, so
 * that a long number keeps its digits. The work is bounded by what is given, however deep the value nests: laid out whole,
 * a small text can take gigabytes. What is no proper JSON comes out somehow.
 *
 * @example
 * ```ts
 * layOutJson('{"id":12345678901234567890}', 100); // { text: '{\n  "id": 12345678901234567890\n}', cut: false }
 * ```
 */
export function layOutJson(json: string, maxChars: number): CutText {
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

/** A token with what stands around it. */
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
      // An empty list or object is one token, whatever space is inside.
      return /^[{[]/.test(token) ? token.replaceAll(/\s+/g, "") : token.trim();
  }
}

function lineAt(depth: number): string {
  return `\n${"  ".repeat(Math.max(0, depth))}`;
}

const anySign = /\S|$/g;
const endOfWord = /["{}[\],:]|$/g;

/** Where the next token begins. */
function nextSign(json: string, at: number): number {
  return placeOf(anySign, json, at);
}

/** Where the token ends that begins here: a text, a sign, an empty list or object, or a word with the space around it. */
function tokenEnd(json: string, at: number): number {
  const sign = json[at] ?? "";
  if (sign === '"') return textEnd(json, at);
  if (sign === "{" || sign === "[") {
    const next = nextSign(json, at + 1);
    return json[next] === (sign === "{" ? "}" : "]") ? next + 1 : at + 1;
  }
  return "}],:".includes(sign) ? at + 1 : placeOf(endOfWord, json, at);
}

function placeOf(pattern: RegExp, json: string, from: number): number {
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

import { holdsInteger, inexact } from "./exact-integer.ts";
import { ExpressionError } from "./expression-error.ts";
import { limits } from "./limits.ts";

/** One token of an expression. */
export type Token = {
  readonly at: number;
  readonly end: number;
} & (
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "quoted"; readonly value: string }
  | { readonly kind: "name"; readonly value: string }
  | { readonly kind: "mark"; readonly value: string }
  | { readonly kind: "end"; readonly value: "" }
);

interface Names {
  readonly plain: RegExp;
  /** After a dot: may start with a digit, and hyphens between name characters belong to it. */
  readonly member: RegExp;
}

// None of these can backtrack more than once over the same characters.
const space = /[ \t\r\n]+/y;
/** For ASCII texts, which most are: the character classes for letters of all scripts are slow to build. */
const asciiNames: Names = { plain: /[A-Za-z_]\w*/y, member: /\w+(?:-+\w+)*/y };
let allNames: Names | undefined;
const number = /\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const mark = /\?\?|\|\||&&|[=!<>]=|[-+*/%!?:()[\].,@<>]/y;

/**
 * The tokens of the expression that starts at `start`. In a template it ends before the first `}` outside of quotes,
 * else at the end of the text; the last token is always `end`.
 */
export function tokenize(text: string, start: number, inTemplate: boolean): Token[] {
  const tokens: Token[] = [];
  // oxlint-disable-next-line no-control-regex
  const known = /^[\x00-\x7f]*$/.test(text) ? asciiNames : (allNames ??= namesOfAllScripts());
  for (let at = skipSpace(text, start); ; at = skipSpace(text, at)) {
    if (at - start > limits.characters) throw tooLong(start, at);
    const token = readToken(text, at, { names: known, afterDot: isDot(tokens.at(-1)), inTemplate });
    tokens.push(token);
    if (token.kind === "end") {
      if (token.at - start > limits.characters) throw tooLong(start, token.at);
      return tokens;
    }
    at = token.end;
  }
}

function namesOfAllScripts(): Names {
  return {
    plain: /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy,
    member: /[\p{L}\p{M}\p{N}_]+(?:-+[\p{L}\p{M}\p{N}_]+)*/uy,
  };
}

function isDot(token: Token | undefined): boolean {
  return token?.kind === "mark" && token.value === ".";
}

function skipSpace(text: string, at: number): number {
  return at + matchAt(space, text, at).length;
}

function readToken(
  text: string,
  at: number,
  { names, afterDot, inTemplate }: { readonly names: Names; readonly afterDot: boolean; readonly inTemplate: boolean },
): Token {
  const first = text[at];
  if (first === undefined || (inTemplate && first === "}")) return { kind: "end", value: "", at, end: at };
  if (first === '"' || first === "'") {
    const { value, end } = readQuoted(text, at);
    return { kind: "quoted", value, at, end };
  }
  const name = matchAt(afterDot ? names.member : names.plain, text, at);
  if (name !== "") return { kind: "name", value: name, at, end: at + name.length };
  const digits = matchAt(number, text, at);
  if (digits !== "")
    return { kind: "number", value: readNumber(text, at, { digits, names }), at, end: at + digits.length };
  const sign = matchAt(mark, text, at);
  if (sign !== "") return { kind: "mark", value: sign, at, end: at + sign.length };
  throw unexpected(text, at);
}

function readNumber(text: string, at: number, { digits, names }: { digits: string; names: Names }): number {
  const end = at + digits.length;
  const glued = matchAt(names.plain, text, end);
  if (glued !== "") {
    const whole = { at, end: end + glued.length };
    const hint = "put an operator between them, or quote it to make it a text";
    throw new ExpressionError("syntax", `${digits}${glued} is neither a number nor a name`, { ...whole, hint });
  }
  if (/^0\d/.test(digits)) {
    const hint = "remove the leading zeros, or quote it to make it a text";
    throw new ExpressionError("syntax", `${digits} starts with 0`, { at, end, hint });
  }
  const value = Number(digits);
  if (!Number.isFinite(value)) throw new ExpressionError("not_finite", `${digits} is too large a number`, { at, end });
  if (isInteger.test(digits) && !holdsInteger(value, digits)) throw inexact(digits, { at, end });
  return value;
}

const isInteger = /^\d+$/;

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** Common notations of other languages, and their replacements. */
const habits: ReadonlyMap<string, string> = new Map([
  ["=", "write == to compare; nothing can be assigned"],
  ["&", "write && for “and”"],
  ["|", "write || for “or”; there are no filters after a bar, use functions such as upper(x)"],
  ["`", "put texts in ' or \""],
  ["“", "put texts in ' or \""],
  ["”", "put texts in ' or \""],
  ["‘", "put texts in ' or \""],
  ["’", "put texts in ' or \""],
  ["（", "write ( and )"],
  ["）", "write ( and )"],
  ["，", "write ,"],
  ["$", "a ${…} cannot contain another one; write the path alone"],
  ["{", "there are no maps in an expression; make them in YAML"],
  ["}", "there are no maps in an expression; make them in YAML"],
  [";", "an expression is one value; there are no statements"],
  ["^", "there are no powers and no bit operators"],
  ["~", "there are no bit operators and no regular expressions"],
]);

function unexpected(text: string, at: number): ExpressionError {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const end = at + character.length;
  const message = `${JSON.stringify(character)} is not part of the language`;
  return new ExpressionError("syntax", message, { at, end, hint: braces(text, at) ?? habits.get(character) });
}

/** `${{ x }}` is the notation of other languages. */
function braces(text: string, at: number): string | undefined {
  if (text.slice(at - 2, at + 1) !== "${{") return undefined;
  const inner = /^\{\s*([^{}\n]{1,80}?)\s*\}\}/.exec(text.slice(at, at + 100))?.[1] ?? "…";
  return `write one pair of braces: "\${${inner}}"`;
}

function tooLong(start: number, end: number): ExpressionError {
  const message = `an expression may have at most ${limits.characters} characters`;
  return new ExpressionError("too_long", message, { at: start, end, hint: "split the work over several steps" });
}

const simple: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ["/", "/"],
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
]);

/** Reads the quoted text that starts at `at`, with the escapes of JSON and `\'`. */
function readQuoted(text: string, at: number): { readonly value: string; readonly end: number } {
  const quote = text[at];
  let value = "";
  let from = at + 1;
  for (let next = from; next < text.length; next++) {
    const character = text[next];
    if (character === quote) return { value: value + text.slice(from, next), end: next + 1 };
    if (character !== "\\") continue;
    const escape = readEscape(text, next);
    value += text.slice(from, next) + escape.value;
    from = escape.end;
    next = escape.end - 1;
  }
  const hint = `close it with ${quote}`;
  throw new ExpressionError("syntax", "the quoted text does not end", { at, end: Math.min(text.length, at + 1), hint });
}

function readEscape(text: string, at: number): { readonly value: string; readonly end: number } {
  const letter = text[at + 1] ?? "";
  const known = simple.get(letter);
  if (known !== undefined) return { value: known, end: at + 2 };
  const digits = letter === "u" ? /^[0-9a-fA-F]{4}/.exec(text.slice(at + 2, at + 6)) : null;
  if (digits !== null) return { value: String.fromCharCode(Number.parseInt(digits[0], 16)), end: at + 6 };
  const hint = String.raw`known are \n \t \r \b \f \uXXXX \\ \/ \" and \'; a backslash itself is \\`;
  const end = Math.min(text.length, at + 2);
  throw new ExpressionError("syntax", `${text.slice(at, end)} is not a valid escape`, { at, end, hint });
}

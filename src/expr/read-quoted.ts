import { ExpressionError } from "./expression-error.ts";

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

/** Reads the text in quotes that starts at `at`, with the escapes of JSON and `\'`. */
export function readQuoted(text: string, at: number): { readonly value: string; readonly end: number } {
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
  throw new ExpressionError("syntax", `${text.slice(at, end)} is no escape`, { at, end, hint });
}

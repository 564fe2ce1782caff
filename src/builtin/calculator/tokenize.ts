import { type Operator, type Value, fraction, fromDecimal } from "./arithmetic.ts";
import { CalculatorError, type ExpressionSpan, isCalculatorError } from "./fault.ts";

/** An operator or punctuation token; `**` has become `^`. */
export type Sign = Operator | "(" | ")" | "," | "!";

/** One token of an expression. */
export type Token = ExpressionSpan &
  (
    | { readonly kind: "number"; readonly value: Value }
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "sign"; readonly sign: Sign }
  );

/** Alternative characters that people and input methods write, each one unit long, so that positions stay correct. */
const standIns: Readonly<Record<string, string>> = {
  "×": "*",
  "∗": "*",
  "⋅": "*",
  "·": "*",
  "÷": "/",
  "∕": "/",
  "−": "-",
  "–": "-",
  "—": "-",
  "。": ".",
  "、": ",",
};

const blank = /[\s\ufeff]*/y;
const based = /0(?:[xX][\da-fA-F]+|[bB][01]+|[oO][0-7]+)/y;
const decimal = /(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const mark = /\*\*|\/\/|[-+*/%^(),!]/y;

/** Splits an expression into tokens. Full-width characters count as their usual forms. */
export function tokenize(expression: string): Token[] {
  const text = expression.replace(/[！-～×∗⋅·÷∕−–—。、]/g, (character) => {
    return standIns[character] ?? String.fromCharCode(character.charCodeAt(0) - 0xfee0);
  });
  const tokens: Token[] = [];
  for (let at = skip(blank, text, 0); at < text.length;) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at = skip(blank, text, at + token.length);
  }
  return tokens;
}

function tokenAt(text: string, at: number): Token {
  const whole = read(based, text, at);
  if (whole !== "") return { kind: "number", value: fraction(BigInt(whole)), at, length: whole.length };
  const number = read(decimal, text, at);
  if (number !== "") return { kind: "number", value: valueOf(number, at), at, length: number.length };
  const name = read(/[\p{L}_][\p{L}\p{M}\p{N}_]*/uy, text, at);
  if (name !== "") return { kind: "name", name, at, length: name.length };
  const sign = read(mark, text, at);
  // The pattern lists exactly the signs.
  if (sign !== "") return { kind: "sign", sign: sign === "**" ? "^" : (sign as Sign), at, length: sign.length };
  const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
  throw new CalculatorError(
    "syntax",
    `unexpected ${JSON.stringify(found)}; an expression has numbers, names, ( ) , and + - * / // % ^ !`,
    { at, length: found.length },
  );
}

function valueOf(number: string, at: number): Value {
  try {
    return fromDecimal(number.replaceAll("_", ""));
  } catch (error) {
    throw isCalculatorError(error)
      ? new CalculatorError(error.reason, error.message, { at, length: number.length })
      : error;
  }
}

function read(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function skip(pattern: RegExp, text: string, at: number): number {
  return at + read(pattern, text, at).length;
}

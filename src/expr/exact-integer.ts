import { ExpressionError, type SourceSpan } from "./expression-error.ts";

type Operator = "+" | "-" | "*" | "/" | "%";

const max = Number.MAX_SAFE_INTEGER;

/**
 * The result of an operation, without silent rounding: beyond 2^53 a number cannot hold every integer. Integers are
 * computed exactly there; a result with more digits than a number shows is refused.
 *
 * @param value The result in doubles.
 */
export function exactResult(
  value: number,
  { a, operator, b }: { readonly a: number; readonly operator: Operator; readonly b: number },
  span: SourceSpan,
): number {
  if (Math.abs(value) <= max && Math.abs(a) <= max && Math.abs(b) <= max) return value;
  if (!Number.isInteger(a) || !Number.isInteger(b)) return value;
  const exact = operate(writtenInteger(a), operator, writtenInteger(b));
  return exact === undefined ? value : toNumber(exact, span);
}

/** Undefined if the result is not an integer. */
function operate(a: bigint, operator: Operator, b: bigint): bigint | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a % b === 0n ? a / b : undefined;
    case "%":
      return a % b;
  }
}

/** True if a number shows the digits of this integer, such as `9007199254740993`. */
export function holdsInteger(number: number, digits: string): boolean {
  return Number.isSafeInteger(number) || (Number.isFinite(number) && writtenInteger(number) === BigInt(digits));
}

/** The error for an integer that no number holds. */
export function inexact(digits: string, { at, end }: SourceSpan): ExpressionError {
  const shown = digits.length > 60 ? `${digits.slice(0, 60)}…` : digits;
  const message = `${shown} has more digits than a number can hold`;
  return new ExpressionError("inexact", message, {
    at,
    end,
    hint: "quote it to make it a text; texts keep all digits",
  });
}

function toNumber(exact: bigint, span: SourceSpan): number {
  const number = Number(exact);
  if (Number.isSafeInteger(number) || writtenInteger(number) === exact) return number;
  throw inexact(String(exact), span);
}

/** The integer that readers of a number see: digits beyond those that identify it are shown as zeros. */
function writtenInteger(number: number): bigint {
  const [mantissa = "0", exponent = "0"] = String(number).split("e");
  const [whole = "0", decimals = ""] = mantissa.split(".");
  return BigInt(whole + decimals) * 10n ** BigInt(Number(exponent) - decimals.length);
}

import { compile } from "./compile.ts";
import { type Variables, evaluate } from "./evaluate.ts";
import { CalculatorError, toFailureError, isCalculatorError } from "./fault.ts";
import { type Fraction, type Value, floorOf, fromDecimal, magnitude, toNumber } from "./fraction.ts";
import { tokenize } from "./tokenize.ts";

/** Maximum length of an expression. */
export const maxExpressionLength = 4000;

/**
 * Number of digits of a double that survive a few operations, and the maximum number of digits of a result without
 * noise.
 */
const [reliableDigits, plainDigits] = [15, 12];

/**
 * Computes an arithmetic expression. Whole numbers, decimals and fractions are exact (`0.1 + 0.2` is 0.3), only irrational
 * results are approximate. A result above 2^53 whose digits a number cannot hold is refused. Throws a `FailureError` that shows the position of the error.
 *
 * @example
 * ```ts
 * calculate("2 * (3 + x)", { x: 4 }); // 14
 * ```
 *
 * @see docs/guide/built-in-tools.md
 */
export function calculate(expression: string, variables: Variables = {}): number {
  try {
    if (typeof expression !== "string") throw new CalculatorError("syntax", "the expression must be a text");
    if (expression.length > maxExpressionLength) {
      throw new CalculatorError("too_long", `the expression is longer than ${maxExpressionLength} characters`);
    }
    return present(evaluate(compile(tokenize(expression), expression.length), variables));
  } catch (error) {
    throw isCalculatorError(error) ? toFailureError(error, expression) : error;
  }
}

function present(value: Value): number {
  // `|| 0` turns -0 into 0.
  return (typeof value === "number" ? withoutNoise(value) : withoutLoss(value)) || 0;
}

/**
 * The number of an exact value; refused if it is so large that digits before the decimal point would change. Compared
 * with the decimal form, which readers of the result see.
 */
function withoutLoss(value: Fraction): number {
  const number = toNumber(value);
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER || isRounded(value, fromDecimal(String(number)))) return number;
  throw new CalculatorError(
    "inexact",
    `the result is ${value.d === 1n ? "" : "about "}${floorOf(value)}, which has more digits than a number can hold; ` +
      "for an approximate value, divide it by a power of ten",
  );
}

/** True if an exact value is shown as it is, or rounded to a whole number. */
function isRounded({ n, d }: Fraction, shown: Value): boolean {
  if (typeof shown === "number") return false;
  const difference = magnitude(shown.n * d - n * shown.d);
  return d === 1n ? difference === 0n : 2n * difference <= d * shown.d;
}

/** Removes rounding noise: 2.0000000000000004 becomes 2; 1.4142135623730951 is unchanged. */
function withoutNoise(number: number): number {
  const rounded = Number(number.toPrecision(reliableDigits));
  const digits = rounded.toExponential().replace(/e.*|[-.]/g, "").length;
  return digits <= plainDigits ? rounded : number;
}

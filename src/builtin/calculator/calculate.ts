import { compile } from "./compile.ts";
import { type Variables, evaluate } from "./evaluate.ts";
import { Fault, toFailureError } from "./fault.ts";
import { type Value, toNumber } from "./fraction.ts";
import { tokenize } from "./tokenize.ts";

/** The most characters of an expression. */
export const longestExpression = 4000;

/** Digits of a double that survive a few operations, and how many of them a number without noise needs. */
const [reliableDigits, plainDigits] = [15, 12];

/**
 * Computes an arithmetic expression. Whole numbers, decimals and fractions are exact (`0.1 + 0.2` is 0.3), only
 * irrational results are approximate. Throws a `FailureError` that shows the faulty place.
 *
 * @example
 * ```ts
 * calculate("2 * (3 + x)", { x: 4 }); // 14
 * ```
 */
export function calculate(expression: string, variables: Variables = {}): number {
  try {
    if (typeof expression !== "string") throw new Fault("syntax", "the expression must be a text");
    if (expression.length > longestExpression) {
      throw new Fault("too_long", `the expression is longer than ${longestExpression} characters`);
    }
    return present(evaluate(compile(tokenize(expression), expression.length), variables));
  } catch (error) {
    throw error instanceof Fault ? toFailureError(error, expression) : error;
  }
}

function present(value: Value): number {
  // `|| 0` turns -0 into 0.
  return (typeof value === "number" ? withoutNoise(value) : toNumber(value)) || 0;
}

/** 2.0000000000000004 is a 2 with noise behind it; 1.4142135623730951 is meant as it stands. */
function withoutNoise(number: number): number {
  const rounded = Number(number.toPrecision(reliableDigits));
  const digits = rounded.toExponential().replace(/e.*|[-.]/g, "").length;
  return digits <= plainDigits ? rounded : number;
}

import { compile, type Step } from "./compile.ts";
import { CalculatorError, toFailureError, isCalculatorError } from "./fault.ts";
import { type Fraction, type Value, floorOf, fromDecimal, magnitude, toNumber, negate, operate } from "./arithmetic.ts";
import { tokenize } from "./tokenize.ts";
import { suggest } from "../../text/index.ts";
import { constants, factorial, functions } from "./functions.ts";

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

/** Values of the variables of an expression. */
type Variables = Readonly<Record<string, number>>;

/** Runs a compiled expression on a stack. An error has the part of the expression that it concerns. */
function evaluate(steps: readonly Step[], variables: Variables): Value {
  const stack: Value[] = [];
  for (const step of steps) {
    try {
      stack.push(perform(step, stack, variables));
    } catch (error) {
      if (isCalculatorError(error) && error.span === undefined) {
        throw new CalculatorError(error.reason, error.message, { at: step.at, length: step.length });
      }
      throw error;
    }
  }
  return pop(stack);
}

function perform(step: Step, stack: Value[], variables: Variables): Value {
  switch (step.do) {
    case "push":
      return step.value;
    case "load":
      return valueOf(step.name, variables);
    case "call":
      return call(step.name, stack.splice(stack.length - step.count));
    case "negate":
      return negate(pop(stack));
    case "factorial":
      return factorial(pop(stack));
    case "operate": {
      const right = pop(stack);
      return operate(step.operator, pop(stack), right);
    }
    default:
      return step satisfies never;
  }
}

/** Variables precede constants of the same name. */
function valueOf(name: string, variables: Variables): Value {
  const value = Object.hasOwn(variables, name) ? variables[name] : constants.get(name.toLowerCase());
  if (value === undefined) throw new CalculatorError("unknown_name", unknownName(name, variables));
  // Unlike the global isFinite, this is false for everything that is not a number.
  if (!Number.isFinite(value))
    throw new CalculatorError("domain", `the variable ${JSON.stringify(name)} is not a finite number`);
  return Object.hasOwn(variables, name) ? fromDecimal(String(value)) : value;
}

function call(name: string, args: readonly Value[]): Value {
  const known = functions.get(name.toLowerCase());
  if (known === undefined) throw new CalculatorError("unknown_function", unknownFunction(name));
  const [min, max] = known.arity;
  if (args.length < min || args.length > max) {
    throw new CalculatorError("arity", `${name} takes ${countOf(known.arity)}, got ${args.length}`);
  }
  return known.apply(args);
}

function unknownName(name: string, variables: Variables): string {
  const message = `there is no constant or variable ${JSON.stringify(name.slice(0, 60))}`;
  if (functions.has(name.toLowerCase())) return `${message}; ${name} is a function, write ${name}(…)`;
  const close = suggest(name, [...Object.keys(variables), ...constants.keys()]);
  return close === undefined ? message : `${message}; did you mean "${close}"?`;
}

function unknownFunction(name: string): string {
  const message = `there is no function ${JSON.stringify(name.slice(0, 60))}`;
  if (constants.has(name.toLowerCase())) return `${message}; ${name} is a constant, to multiply write ${name}*(…)`;
  const close = suggest(name, functions.keys());
  return close === undefined ? message : `${message}; did you mean "${close}"?`;
}

function countOf([min, max]: readonly [number, number]): string {
  if (max === Infinity) return `at least ${min} argument${min === 1 ? "" : "s"}`;
  return min === max ? `${min} argument${min === 1 ? "" : "s"}` : `${min} or ${max} arguments`;
}

function pop(stack: Value[]): Value {
  const value = stack.pop();
  // The compiler puts every operand before its operator.
  if (value === undefined) throw new Error("the calculator's stack is empty");
  return value;
}

import { CalculatorError } from "./fault.ts";
import { type Fraction, type Value, floorOf, fraction, normalizeNumber, toNumber } from "./fraction.ts";

/** The binary operators; `**` is read as `^`. */
export type Operator = "+" | "-" | "*" | "/" | "//" | "%" | "^";

/** A power is exact while its parts stay below about this many bits. */
const maxPowerBits = 1100;

/** Applies an operator: exactly if both operands are exact, otherwise in doubles. */
export function operate(operator: Operator, a: Value, b: Value): Value {
  switch (operator) {
    case "+":
      return add(a, b);
    case "-":
      return add(a, negate(b));
    case "*":
      return isExact(a) && isExact(b) ? fraction(a.n * b.n, a.d * b.d) : normalizeNumber(toNumber(a) * toNumber(b));
    case "/":
      return divide(a, b);
    case "//":
      return floor(divide(a, b));
    case "%":
      return modulo(a, b);
    case "^":
      return power(a, b);
    default:
      return operator satisfies never;
  }
}

export function add(a: Value, b: Value): Value {
  return isExact(a) && isExact(b)
    ? fraction(a.n * b.d + b.n * a.d, a.d * b.d)
    : normalizeNumber(toNumber(a) + toNumber(b));
}

export function negate(value: Value): Value {
  return isExact(value) ? { n: -value.n, d: value.d } : -value;
}

export function divide(a: Value, b: Value): Value {
  if (isZero(b)) throw new CalculatorError("div_zero", "division by zero");
  return isExact(a) && isExact(b) ? fraction(a.n * b.d, a.d * b.n) : normalizeNumber(toNumber(a) / toNumber(b));
}

export function floor(value: Value): Value {
  return isExact(value) ? fraction(floorOf(value)) : normalizeNumber(Math.floor(value));
}

/** Returns the remainder of the floored division: it has the sign of `b`, as in `-1 % 3 = 2`. */
export function modulo(a: Value, b: Value): Value {
  if (isZero(b)) throw new CalculatorError("div_zero", "remainder of a division by zero");
  if (isExact(a) && isExact(b)) return add(a, negate(operate("*", b, floor(divide(a, b)))));
  const rest = toNumber(a) % toNumber(b);
  return normalizeNumber(rest !== 0 && rest < 0 !== toNumber(b) < 0 ? rest + toNumber(b) : rest);
}

export function power(base: Value, exponent: Value): Value {
  if (isZero(base) && toNumber(exponent) < 0) throw new CalculatorError("div_zero", "zero has no negative power");
  if (isExact(base) && isExact(exponent) && exponent.d === 1n) {
    const bits = Math.log2(Math.max(Math.abs(Number(base.n)), Number(base.d))) * Math.abs(Number(exponent.n));
    if (bits <= maxPowerBits) return wholePower(base, exponent.n);
  }
  const result = toNumber(base) ** toNumber(exponent);
  if (Number.isNaN(result)) {
    throw new CalculatorError(
      "domain",
      "a negative number has no real power with a fractional exponent; cbrt(x) is the cube root",
    );
  }
  return normalizeNumber(result);
}

export function isExact(value: Value): value is Fraction {
  return typeof value !== "number";
}

export function isZero(value: Value): boolean {
  return isExact(value) ? value.n === 0n : value === 0;
}

function wholePower({ n, d }: Fraction, exponent: bigint): Value {
  return exponent < 0n ? fraction(d ** -exponent, n ** -exponent) : fraction(n ** exponent, d ** exponent);
}

import { CalculatorError } from "./fault.ts";

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

/** An exact number: `n / d` in lowest terms, `d` above zero. */
export interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

/** A number of the calculator: exact as long as its parts stay small, otherwise the nearest double. */
export type Value = Fraction | number;

/** Exact numbers have the range of doubles (2^1024); larger and irrational results become doubles. */
const limit = 1n << 1100n;

/** Returns the fraction `n / d`, or the nearest double if it would grow too large. `d` must not be zero. */
export function fraction(n: bigint, d: bigint = 1n): Value {
  const common = d === 1n ? 1n : greatestCommonDivisor(n, d);
  const sign = d < 0n ? -1n : 1n;
  const reduced = { n: (n / common) * sign, d: (d / common) * sign };
  return magnitude(reduced.n) < limit && reduced.d < limit ? reduced : normalizeNumber(ratio(reduced));
}

/** Returns the exact value of a decimal number such as `12.5e-3`; the exponent must fit a double's. */
export function fromDecimal(text: string): Value {
  const [, sign = "", whole = "", decimals = "", exponent = "0"] =
    /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const size = Number(text);
  // Also keeps the power below from growing with an exponent such as -999999999.
  if (size === 0) return fraction(0n);
  normalizeNumber(size);
  const digits = BigInt(sign + whole + decimals);
  const scale = Number(exponent) - decimals.length;
  return scale >= 0 ? fraction(digits * 10n ** BigInt(scale)) : fraction(digits, 10n ** BigInt(-scale));
}

/**
 * Normalizes the result of an operation on doubles: integers become exact again, and values that a double cannot
 * represent are refused.
 */
export function normalizeNumber(number: number): Value {
  if (Number.isNaN(number)) throw new CalculatorError("domain", "the operation is not defined for these numbers");
  if (!Number.isFinite(number)) throw new CalculatorError("overflow", "the number is too large");
  return Number.isSafeInteger(number) ? fraction(BigInt(number)) : number;
}

/** The nearest double. */
export function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  const number = ratio(value);
  if (!Number.isFinite(number)) throw new CalculatorError("overflow", "the number is too large");
  return number;
}

/** Returns the largest integer that is not above the fraction. */
export function floorOf({ n, d }: Fraction): bigint {
  const quotient = n / d;
  return n < 0n && quotient * d !== n ? quotient - 1n : quotient;
}

/** Returns the greatest common divisor; never negative. */
export function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [magnitude(a), magnitude(b)];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

export function magnitude(n: bigint): bigint {
  return n < 0n ? -n : n;
}

function ratio({ n, d }: Fraction): number {
  const [top, bottom] = [Number(n), Number(d)];
  if (Number.isSafeInteger(top) && Number.isSafeInteger(bottom)) return top / bottom;
  // 25 digits and a marker for the rest decide the rounding, which parsing a decimal does correctly.
  const positions = Math.max(0, 25 - digitsOf(n) + digitsOf(d));
  const scaled = n * 10n ** BigInt(positions);
  const rest = scaled % d === 0n ? "0" : "1";
  return Number(`${scaled / d}${rest}e-${positions + 1}`);
}

function digitsOf(n: bigint): number {
  return magnitude(n).toString().length;
}

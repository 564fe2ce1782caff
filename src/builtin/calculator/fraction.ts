import { CalculatorError } from "./fault.ts";

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

import {
  add,
  divide,
  floor,
  isExact,
  isZero,
  modulo,
  negate,
  power,
  type Value,
  fraction,
  fromDecimal,
  greatestCommonDivisor,
  normalizeNumber,
  magnitude,
  toNumber,
} from "./arithmetic.ts";
import { CalculatorError } from "./fault.ts";

/** A function of the calculator. */
interface CalculatorFunction {
  /** Minimum and maximum number of arguments. */
  readonly arity: readonly [min: number, max: number];
  apply(args: readonly Value[]): Value;
}

/** The constants, by name. */
export const constants: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["π", Math.PI],
  ["e", Math.E],
  ["tau", 2 * Math.PI],
  ["τ", 2 * Math.PI],
  ["phi", (1 + Math.sqrt(5)) / 2],
  ["φ", (1 + Math.sqrt(5)) / 2],
]);

/** Factorials above this exceed every double. */
const maxFactorialSize = 170n;

/** `n!` for whole `n`. */
export function factorial(value: Value): Value {
  const n = whole("factorial", value);
  if (n < 0n) throw new CalculatorError("domain", "a negative number has no factorial");
  if (n > maxFactorialSize)
    throw new CalculatorError("overflow", `the factorial of a number above ${maxFactorialSize} is too large`);
  let product = 1n;
  for (let factor = 2n; factor <= n; factor++) product *= factor;
  return fraction(product);
}

/** The functions, by name; the only table in which names are looked up. */
export const functions: ReadonlyMap<string, CalculatorFunction> = new Map([
  ["abs", one((x) => (toNumber(x) < 0 ? negate(x) : x))],
  ["sign", one((x) => normalizeNumber(Math.sign(toNumber(x))))],
  ["floor", one(floor)],
  ["ceil", one((x) => negate(floor(negate(x))))],
  ["trunc", one((x) => (toNumber(x) < 0 ? negate(floor(negate(x))) : floor(x)))],
  ["round", { arity: [1, 2], apply: ([x = 0, digits = fraction(0n)]) => round(x, digits) }],
  ["min", many((args) => args.reduce((a, b) => (isBelow(b, a) ? b : a)))],
  ["max", many((args) => args.reduce((a, b) => (isBelow(a, b) ? b : a)))],
  ["sum", many((args) => args.reduce(add))],
  ["mean", many(mean)],
  ["avg", many(mean)],
  ["gcd", many((args) => fraction(args.map((x) => whole("gcd", x)).reduce(greatestCommonDivisor, 0n)))],
  ["lcm", many((args) => args.reduce(minCommonMultiple, fraction(1n)))],
  ["pow", two(power)],
  ["mod", two(modulo)],
  ["factorial", one(factorial)],
  ["sqrt", real("sqrt", Math.sqrt)],
  ["cbrt", real("cbrt", Math.cbrt)],
  ["exp", growing(Math.exp)],
  ["ln", real("ln", Math.log)],
  ["log", { arity: [1, 2], apply: ([x = 0, base]) => logarithm(toNumber(x), base) }],
  ["log2", real("log2", Math.log2)],
  ["log10", real("log10", Math.log10)],
  ["sin", real("sin", (x) => snapped(Math.sin(x), x))],
  ["cos", real("cos", (x) => snapped(Math.cos(x), x))],
  ["tan", real("tan", (x) => (snapped(Math.cos(x), x) === 0 ? Number.NaN : snapped(Math.tan(x), x)))],
  ["asin", real("asin", Math.asin)],
  ["acos", real("acos", Math.acos)],
  ["atan", real("atan", Math.atan)],
  ["atan2", two((y, x) => normalizeNumber(Math.atan2(toNumber(y), toNumber(x))))],
  ["sinh", growing(Math.sinh)],
  ["cosh", growing(Math.cosh)],
  ["tanh", real("tanh", Math.tanh)],
  ["hypot", many((args) => normalizeNumber(Math.hypot(...args.map(toNumber))))],
]);

/** Compares exact numbers exactly: large ones may have the same nearest double. */
function isBelow(a: Value, b: Value): boolean {
  return isExact(a) && isExact(b) ? a.n * b.d < b.n * a.d : toNumber(a) < toNumber(b);
}

function one(apply: (x: Value) => Value): CalculatorFunction {
  return { arity: [1, 1], apply: ([x = 0]) => apply(x) };
}

function two(apply: (a: Value, b: Value) => Value): CalculatorFunction {
  return { arity: [2, 2], apply: ([a = 0, b = 0]) => apply(a, b) };
}

function many(apply: (args: readonly Value[]) => Value): CalculatorFunction {
  return { arity: [1, Infinity], apply };
}

/** Wraps a function on doubles whose result is finite wherever it is defined. */
function real(name: string, apply: (x: number) => number): CalculatorFunction {
  return one((x) => {
    const result = apply(toNumber(x));
    if (!Number.isFinite(result)) throw new CalculatorError("domain", `${name}(${toNumber(x)}) is not defined`);
    return normalizeNumber(result);
  });
}

/** Wraps a function on doubles that is defined everywhere but soon too large. */
function growing(apply: (x: number) => number): CalculatorFunction {
  return one((x) => normalizeNumber(apply(toNumber(x))));
}

function mean(args: readonly Value[]): Value {
  return divide(args.reduce(add), fraction(BigInt(args.length)));
}

/** Rounds half away from zero, as people do on paper; the digits may be negative: `round(1234, -2)` is 1200. */
function round(value: Value, digits: Value): Value {
  const positions = toNumber(digits);
  if (!Number.isInteger(positions) || Math.abs(positions) > 15)
    throw new CalculatorError("domain", "round takes -15 to 15 digits");
  // Through its decimal form, so that 1.005 is treated as written.
  const exact = isExact(value) ? value : fromDecimal(String(value));
  const scale = power(fraction(10n), digits);
  const scaled = divide(exact, divide(fraction(1n), scale));
  const half = fraction(1n, 2n);
  const rounded = toNumber(scaled) < 0 ? negate(floor(add(negate(scaled), half))) : floor(add(scaled, half));
  return divide(rounded, scale);
}

function minCommonMultiple(a: Value, b: Value): Value {
  const [x, y] = [whole("lcm", a), whole("lcm", b)];
  return x === 0n || y === 0n ? fraction(0n) : fraction(magnitude(x * y) / greatestCommonDivisor(x, y));
}

function logarithm(x: number, base: Value | undefined): Value {
  const b = base === undefined ? 10 : toNumber(base);
  if (!(x > 0) || !(b > 0) || b === 1)
    throw new CalculatorError("domain", `log(${x}${base === undefined ? "" : `, ${b}`}) is not defined`);
  if (b === 10) return normalizeNumber(Math.log10(x));
  return normalizeNumber(b === 2 ? Math.log2(x) : Math.log(x) / Math.log(b));
}

/** Returns zero for a result that the rounding of the angle alone could explain: `sin(pi)` is 0, not 1.2e-16. */
function snapped(result: number, angle: number): number {
  return Math.abs(angle) >= 1 && Math.abs(result) <= Math.abs(angle) * Number.EPSILON ? 0 : result;
}

function whole(name: string, value: Value): bigint {
  if (isZero(value)) return 0n;
  if (isExact(value) && value.d === 1n) return value.n;
  throw new CalculatorError("domain", `${name} takes whole numbers only, got ${toNumber(value)}`);
}

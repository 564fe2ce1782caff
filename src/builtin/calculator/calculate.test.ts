import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FailureError, isFailureError } from "../../base/index.ts";
import { calculate } from "./calculate.ts";
import { calculatorReasons } from "./fault.ts";

function failureOf(expression: string, variables?: Record<string, number>): FailureError {
  try {
    calculate(expression, variables);
  } catch (error) {
    if (isFailureError(error)) return error;
    throw error;
  }
  throw new Error(`${expression} has a result`);
}

describe("[B07] the calculator computes", () => {
  test.each<[string, number]>([
    ["1+2", 3],
    ["2*(3+4)", 14],
    ["10-4-3", 3],
    ["100/10/2", 5],
    ["2+3*4", 14],
    ["7//2", 3],
    ["-7//2", -4],
    ["7%3", 1],
    ["-7%3", 2],
    ["7%-3", -2],
    ["5.5%2", 1.5],
    ["2^3^2", 512],
    ["2**3**2", 512],
    ["-2^2", -4],
    ["(-2)^2", 4],
    ["2^-1", 0.5],
    ["2^-1*3", 1.5],
    ["2^-3^2", 2 ** -9],
    ["-3!", -6],
    ["3!!", 720],
    ["2^3!", 64],
    ["3!^2", 36],
    ["--3", 3],
    ["2--3", 5],
    ["2*-3", -6],
    ["+5", 5],
    ["(((7)))", 7],
    ["0^0", 1],
    ["(-1)^1e300", 1],
    ["0^1e300", 0],
    [".5+5.", 5.5],
    ["1e3+1E-3", 1000.001],
    ["1_000_000/3_0", 1_000_000 / 30],
    ["0xFF+0b11+0o17", 273],
    ["  1 \t+\n 2 ", 3],
  ])("%s = %d", (expression, result) => {
    expect(calculate(expression)).toBe(result);
  });

  test.each<[string, number]>([
    ["0.1+0.2", 0.3],
    ["0.3-0.1-0.2", 0],
    ["1.1*1.1", 1.21],
    ["floor((0.1+0.7)*10)", 8],
    ["0.3//0.1", 3],
    ["0.3%0.1", 0],
    ["1/3*3", 1],
    ["floor(1/49*49)", 1],
    ["1/3", 1 / 3],
    ["2/3", 2 / 3],
    ["100!/98!", 9900],
    ["1e308*10/10", 1e308],
    ["9007199254740991", 9_007_199_254_740_991],
    ["2^53+1-2^53", 1],
    ["10^300 % 7", 1],
    ["sqrt(2)^2", 2],
    ["64^(1/3)", 4],
    ["exp(ln(5))", 5],
    ["1e-400", 0],
    ["1e-999999999", 0],
    ["0*-1", 0],
  ])("%s = %d, without rounding noise of doubles", (expression, result) => {
    expect(calculate(expression)).toBe(result);
  });

  test.each<[string, number]>([
    ["abs(-2.5)", 2.5],
    ["sqrt(16)", 4],
    ["sqrt(2)", Math.SQRT2],
    ["cbrt(-27)", -3],
    ["exp(0)", 1],
    ["ln(e)", 1],
    ["log(1000)", 3],
    ["log(1000, 10)", 3],
    ["log(8, 2)", 3],
    ["log2(1024)", 10],
    ["log10(0.001)", -3],
    ["sin(pi)", 0],
    ["sin(pi/6)", 0.5],
    ["cos(pi)", -1],
    ["cos(pi/2)", 0],
    ["tan(pi/4)", 1],
    ["sin(1e-20)", 1e-20],
    ["asin(1)", Math.PI / 2],
    ["acos(1)", 0],
    ["atan(1)*4", Math.PI],
    ["atan2(1, -1)", Math.atan2(1, -1)],
    ["sinh(1)", Math.sinh(1)],
    ["cosh(0)", 1],
    ["tanh(0)", 0],
    ["floor(-1.5)", -2],
    ["ceil(-1.5)", -1],
    ["ceil(1.2)", 2],
    ["trunc(-1.5)", -1],
    ["trunc(1.5)", 1],
    ["sign(-0.1)", -1],
    ["round(2.5)", 3],
    ["round(-2.5)", -3],
    ["round(1.005, 2)", 1.01],
    ["round(1234.5, -2)", 1200],
    ["round(pi, 4)", 3.1416],
    ["min(3, 1, 2)", 1],
    ["max(3, 1, 2)", 3],
    ["sum(0.1, 0.2, 0.3)", 0.6],
    ["mean(1, 2, 4)", 7 / 3],
    ["avg(1, 3)", 2],
    ["hypot(3, 4)", 5],
    ["pow(2, 10)", 1024],
    ["mod(-1, 3)", 2],
    ["gcd(12, 18, 27)", 3],
    ["gcd(0, 0)", 0],
    ["lcm(4, 6)", 12],
    ["lcm(4, 0)", 0],
    ["factorial(5)", 120],
    ["170!/10^300", 7257415.615307999],
    ["SIN(PI/2)", 1],
    ["pi", Math.PI],
    ["τ/π", 2],
    ["phi", (1 + Math.sqrt(5)) / 2],
    ["E", Math.E],
  ])("%s = %d", (expression, result) => {
    expect(calculate(expression)).toBe(result);
  });

  test.each<[string, number]>([
    ["3×4÷2", 6],
    ["（２＋３）＊４", 20],
    ["５－３", 2],
    ["5−3", 2],
    ["3。5＋1", 4.5],
    ["max（１，２）", 2],
    ["max(1、2)", 2],
    ["２＾３", 8],
    ["７％４", 3],
    ["３！", 6],
    ["ｓｑｒｔ（９）", 3],
    ["2　+　3", 5],
    ["2·3", 6],
  ])("%s = %d, in characters of other keyboards", (expression, result) => {
    expect(calculate(expression)).toBe(result);
  });

  test("variables precede constants", () => {
    expect(calculate("2*x + y_1", { x: 0.1, y_1: 1e21 })).toBe(1e21);
    expect(calculate("x - 0.1 - 0.2", { x: 0.3 })).toBe(0);
    expect(calculate("e", { e: 5 })).toBe(5);
    expect(calculate("单价*数量", { 单价: 9.9, 数量: 3 })).toBe(29.7);
    expect(calculate("constructor + __proto__", JSON.parse('{"constructor":1,"__proto__":2}'))).toBe(3);
  });
});

interface Row {
  readonly area: string;
  readonly input: string | { $repeat: string; n: number; prefix: string; suffix: string };
  readonly expected: string;
}

describe("hostile expressions", () => {
  const rows = (JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as Row[])
    .filter(({ area }) => area === "calculator")
    .map(({ input, expected }) => {
      const text = typeof input === "string" ? input : input.prefix + input.$repeat.repeat(input.n) + input.suffix;
      return { text, name: JSON.stringify(text.slice(0, 40)), expected };
    });

  test("there are some", () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  test.each(rows)("$name gives $expected", ({ text, expected }) => {
    const outcome = (): string => {
      try {
        return String(calculate(text));
      } catch (error) {
        return isFailureError(error) ? `refuse:${error.reason}` : String(error);
      }
    };
    expect(outcome()).toBe(expected);
  });
});

describe("a fault", () => {
  test.each([
    ["1 +", "syntax"],
    ["50%", "syntax"],
    ["* 2", "syntax"],
    ["(1", "syntax"],
    ["1)", "syntax"],
    ["()", "syntax"],
    ["max(1,)", "syntax"],
    ["2 pi", "syntax"],
    ["2pi", "syntax"],
    ["1 2", "syntax"],
    ["1..2", "syntax"],
    ["0x", "syntax"],
    ["1=1", "syntax"],
    ["a.b", "syntax"],
    ["`1`", "syntax"],
    ["${1}", "syntax"],
    ["\0", "syntax"],
    ["\ud800", "syntax"],
    ["😀", "syntax"],
    ["   ", "syntax"],
    ["foo +", "syntax"],
    ["x", "unknown_name"],
    ["sqrt", "unknown_name"],
    ["toString", "unknown_name"],
    ["__proto__", "unknown_name"],
    ["pi(2)", "unknown_function"],
    ["eval(1)", "unknown_function"],
    ["valueOf()", "unknown_function"],
    ["max()", "arity"],
    ["sqrt(1, 2)", "arity"],
    ["atan2(1)", "arity"],
    ["round(1, 2, 3)", "arity"],
    ["sqrt(-1)", "domain"],
    ["ln(0)", "domain"],
    ["ln(-1)", "domain"],
    ["log(1, 1)", "domain"],
    ["log(-1)", "domain"],
    ["asin(2)", "domain"],
    ["tan(pi/2)", "domain"],
    ["(-8)^(1/3)", "domain"],
    ["2.5!", "domain"],
    ["(-1)!", "domain"],
    ["gcd(1.5, 2)", "domain"],
    ["round(1, 0.5)", "domain"],
    ["round(1, 99)", "domain"],
    ["1/0", "div_zero"],
    ["1//0", "div_zero"],
    ["1%0", "div_zero"],
    ["mod(1, 0)", "div_zero"],
    ["0^-1", "div_zero"],
    ["1/(0.3-0.1-0.2)", "div_zero"],
    ["170!", "inexact"],
    ["171!", "overflow"],
    ["1e308*10", "overflow"],
    ["exp(1000)", "overflow"],
    ["10^400", "overflow"],
    ["1e300^2", "overflow"],
    ["-".repeat(200) + "1", "too_deep"],
    ["2^".repeat(200) + "1", "too_deep"],
    ["sqrt(".repeat(200) + "1" + ")".repeat(200), "too_deep"],
    ["1+".repeat(2000) + "1", "too_long"],
  ])("the fault in %j is named: %s", (expression, reason) => {
    const error = failureOf(expression);
    expect(error.reason).toBe(reason);
    expect(error.code).toBe(calculatorReasons[reason as keyof typeof calculatorReasons].code);
    expect(error.toFailure("safe").retry).toBe("never");
  });

  test("shows its position, also in a line of wide characters", () => {
    expect(failureOf("2 + sqr(4)").message).toBe(
      'there is no function "sqr"; did you mean "sqrt"?\n  2 + sqr(4)\n      ^^^',
    );
    expect(failureOf("２＋１／０").message).toBe("division by zero\n  ２＋１／０\n        ^^");
  });

  test("a fault in a long expression shows the relevant part", () => {
    const { message } = failureOf(`${"1+".repeat(900)}oops+${"1+".repeat(900)}1`);
    expect(message).toMatch(/\n {2}….{40}oops.{36}…\n {43}\^\^\^\^$/);
  });

  test("shows control characters escaped instead of sending them to a terminal", () => {
    expect(failureOf("1 + \u001b[31m").message).not.toContain("\u001b");
  });

  test.each([
    ["pii", 'did you mean "pi"?'],
    ["sqtr(4)", 'did you mean "sqrt"?'],
    ["sin", "write sin(…)"],
    ["pi(2)", "write pi*(…)"],
    ["2(3)", "to multiply, write *"],
    ["1,000", "without thousands separators"],
    ["50%", "for a percentage write 50/100"],
    ["atan2(1)", "atan2 takes 2 arguments, got 1"],
    ["log(1,2,3)", "log takes 1 or 2 arguments, got 3"],
    ["(-8)^(1/3)", "cbrt"],
  ])("the fault in %j comes with advice: %s", (expression, advice) => {
    expect(failureOf(expression).message).toContain(advice);
  });

  test("suggests the caller's own variables", () => {
    expect(failureOf("2*widht", { width: 1 }).message).toContain('did you mean "width"?');
  });

  test("a fault that other arguments can fix is an issue of the expression", () => {
    expect(failureOf("1+").toFailure()).toMatchObject({
      code: "validation_error",
      issues: [{ path: ["expression"], code: "syntax" }],
    });
    expect(failureOf("1/0").toFailure().issues).toBeUndefined();
  });

  test("is the result of a value that is not a string or not a number", () => {
    // Input is not always of the declared type.
    expect(failureOf(42 as unknown as string).reason).toBe("syntax");
    expect(failureOf("x", { x: Number.NaN }).reason).toBe("domain");
    expect(failureOf("x", { x: "1" as unknown as number }).reason).toBe("domain");
  });
});

describe("[F15] large whole numbers", () => {
  test.each([
    ["9007199254740993", "9007199254740993"],
    ["2^53 + 1", "9007199254740993"],
    ["-(2^53) - 1", "-9007199254740993"],
    ["2^60", "1152921504606846976"],
    ["9999999999999999", "9999999999999999"],
    ["2^100", "1267650600228229401496703205376"],
    ["99999999999 * 99999999999", "9999999999800000000001"],
    ["2^60 + 0.5", "1152921504606846976"],
    ["max(2^60, 2^60 + 1)", "1152921504606846977"],
    ["min(2^60, 2^60 + 1)", "1152921504606846976"],
    ["floor(2^60 + 0.5)", "1152921504606846976"],
    ["20! + 1", "2432902008176640001"],
  ])("%s is refused with its exact value", (expression, exact) => {
    expect(failureOf(expression)).toMatchObject({ reason: "inexact", message: expect.stringContaining(exact) });
  });

  test.each([
    ["2^53", 2 ** 53],
    ["10^21", 1e21],
    ["3 * 10^25", 3e25],
    ["20!", 2_432_902_008_176_640_000],
    ["2^53 * 10", 90_071_992_547_409_920],
    ["round(2^100, -15)", 1.267650600228229e30],
    ["10^21 + 0.2", 1e21],
    ["2^60 / 2^40", 1_048_576],
    ["(2^60 + 1) % 10", 7],
    ["2^60 + 1 - 2^60", 1],
    ["exp(60)", 1.1420073898156842e26],
  ])("%s is held by a number", (expression, result) => {
    expect(calculate(expression)).toBe(result);
  });
});

describe("properties", () => {
  /** A random expression and its value, computed independently. */
  interface Sum {
    readonly text: string;
    readonly value: bigint;
  }

  const whole: fc.Arbitrary<Sum> = fc.nat(999).map((n) => ({ text: String(n), value: BigInt(n) }));
  const { tree } = fc.letrec<{ tree: Sum }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      whole,
      fc.tuple(fc.constantFrom("+", "-", "*", "//", "%"), tie("tree"), tie("tree")).map(([sign, a, b]) => {
        const divides = sign === "//" || sign === "%";
        if (divides && b.value === 0n) return a;
        return { text: `(${a.text})${sign}(${b.text})`, value: apply(sign, a.value, b.value) };
      }),
      tie("tree").map((a) => ({ text: `-(${a.text})`, value: -a.value })),
      fc.tuple(tie("tree"), fc.nat(3)).map(([a, n]) => ({ text: `(${a.text})^${n}`, value: a.value ** BigInt(n) })),
    ),
  }));

  function apply(sign: string, a: bigint, b: bigint): bigint {
    const floored = (): bigint => a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n);
    switch (sign) {
      case "+":
        return a + b;
      case "-":
        return a - b;
      case "*":
        return a * b;
      case "//":
        return floored();
      default:
        return a - b * floored();
    }
  }

  const plain = { useGrouping: false, maximumSignificantDigits: 17 } as const;

  test("whole numbers are computed exactly, or refused", () => {
    const small = tree.filter(({ text, value }) => text.length < 4000 && value < 2n ** 1000n && value > -(2n ** 1000n));
    fc.assert(
      fc.property(small, ({ text, value }) => {
        const number = Number(value);
        const isHeld = Number.isSafeInteger(number) || BigInt(number.toLocaleString("en", plain)) === value;
        const seen = isHeld ? calculate(text) : failureOf(text).reason;
        expect(seen).toBe(isHeld ? number : "inexact");
      }),
      { seed: 7, numRuns: 2000 },
    );
  });

  test("without parentheses the standard precedence applies", () => {
    const terms = fc.array(fc.tuple(fc.constantFrom("+", "-", "*", "/", "**"), fc.integer({ min: 1, max: 9 })), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), terms, (first, rest) => {
        // No two powers in a row: that would test their size, not their order.
        fc.pre(rest.every(([sign], i) => sign !== "**" || rest[i - 1]?.[0] !== "**"));
        const text = first + rest.map(([sign, n]) => sign + n).join("");
        const reference = referenceValue(
          [first, ...rest.map(([, n]) => n)],
          rest.map(([sign]) => sign),
        );
        expect(calculate(text)).toBeCloseTo(reference, Math.max(0, 9 - Math.ceil(Math.log10(Math.abs(reference) + 1))));
      }),
      { seed: 8, numRuns: 1000 },
    );
  });

  /** Powers first, then products, then sums, each from left to right. */
  function referenceValue(numbers: readonly number[], signs: readonly string[]): number {
    let [values, left] = [[...numbers], [...signs]];
    for (const level of [["**"], ["*", "/"], ["+", "-"]]) {
      const stored: string[] = [];
      const reduced = [values[0] ?? 0];
      for (const [i, sign] of left.entries()) {
        const next = values[i + 1] ?? 0;
        const last = reduced.length - 1;
        if (level.includes(sign)) reduced[last] = combine(sign, reduced[last] ?? 0, next);
        else {
          stored.push(sign);
          reduced.push(next);
        }
      }
      [values, left] = [reduced, stored];
    }
    return values[0] ?? 0;
  }

  function combine(sign: string, a: number, b: number): number {
    if (sign === "**") return a ** b;
    if (sign === "*") return a * b;
    if (sign === "/") return a / b;
    return sign === "+" ? a + b : a - b;
  }

  test("decimals add up exactly", () => {
    const cents = fc.array(fc.integer({ min: -99_999, max: 99_999 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(cents, (amounts) => {
        const text = amounts.map((amount) => `(${(amount / 100).toFixed(2)})`).join("+");
        expect(calculate(text)).toBe(amounts.reduce((a, b) => a + b, 0) / 100 || 0);
      }),
      { seed: 9 },
    );
  });

  test("a number is read as JavaScript reads it", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }), (number) => {
        expect(calculate(String(number))).toBe(number || 0);
        expect(calculate("x", { x: -number })).toBe(-number || 0);
      }),
      { seed: 10, numRuns: 2000 },
    );
  });

  test("garbage produces a failure, quickly", { timeout: 10_000 }, () => {
    const scraps = fc.constantFrom(
      ..."0123456789.+-*/%^!(),_eExXπ".split(""),
      "//",
      "**",
      "1e9",
      "sqrt(",
      "max(",
      "pi",
      "，",
      "１",
      " ",
      "\n",
      "x",
      "1e308",
    );
    const garbage = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.array(scraps, { maxLength: 60 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(garbage, (text) => {
        let outcome: unknown;
        try {
          outcome = calculate(text);
        } catch (error) {
          outcome = error;
        }
        expect(
          Number.isFinite(outcome) ||
            (isFailureError(outcome) && Object.hasOwn(calculatorReasons, outcome.reason ?? "")),
        ).toBe(true);
      }),
      { seed: 11, numRuns: 5000 },
    );
  });

  test.each([
    ["divisions", "/7.77777"],
    ["sums of fractions", "+1/99991"],
    ["large factorials", "+170!/169!"],
    ["large divisors", "+gcd(170!,3^600)"],
    ["thin fractions", "+1/3^690/7"],
    ["long numbers", `+0.${"123456789".repeat(40)}`],
    ["powers", "+9^9^9%7"],
    ["names", "+aaaaaaaaaaaaaaaaaaaaaaaa"],
  ])("the longest expression of %s is computed quickly", (_name, part) => {
    const text = `1${part.repeat(Math.floor(3990 / part.length))}`;
    const started = process.cpuUsage();
    let outcome: unknown;
    try {
      outcome = calculate(text);
    } catch (error) {
      outcome = error;
    }
    const { user, system } = process.cpuUsage(started);
    expect(typeof outcome === "number" || isFailureError(outcome)).toBe(true);
    expect((user + system) / 1000).toBeLessThan(500);
  });
});

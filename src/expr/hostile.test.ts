import * as fc from "fast-check";
import { expect, test } from "vitest";
import rows from "../../test/data/bad-inputs.json" with { type: "json" };
import {
  type Scope,
  compileCondition,
  compileExpression,
  compileTemplate,
  functionArities,
  isExpressionError,
  missing,
  rootNames,
} from "./index.ts";

const names = ["a", "b", "size", "count", "constructor", "toString", "prototype", "canary", "length", "x-y", "0"];

/** Expressions of every form, sensible or not. */
const { expression } = fc.letrec<{ expression: string; path: string }>((tie) => ({
  path: fc
    .tuple(
      fc.constantFrom(...rootNames.filter((root) => root !== "secret"), "@"),
      fc.array(
        fc.oneof(
          fc.constantFrom(...names).map((name) => `.${name}`),
          fc.constantFrom(...names, "__proto__").map((name) => `[${JSON.stringify(name)} + ""]`),
          fc.integer({ min: -3, max: 3 }).map((index) => `[${index}]`),
          fc.constantFrom("[*]", "[1:]", "[:-1]"),
          tie("expression").map((inner) => `[?${inner}]`),
          tie("expression").map((inner) => `[${inner}]`),
        ),
        { maxLength: 4 },
      ),
    )
    .map(([root, steps]) => root + steps.join("")),
  expression: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("1", "0", "'a'", '"b c"', "null", "true", "[]", "1e300"),
    tie("path"),
    tie("path"),
    fc
      .tuple(
        tie("expression"),
        fc.constantFrom("??", "||", "&&", "==", "<", ">=", "in", "+", "-", "*", "/", "%"),
        tie("expression"),
      )
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc.tuple(fc.constantFrom("!", "-"), tie("expression")).map(([sign, inner]) => sign + inner),
    fc
      .tuple(
        fc.constantFrom(...Object.keys(functionArities)),
        fc.array(tie("expression"), { minLength: 1, maxLength: 2 }),
      )
      .map(([name, args]) => `${name}(${args.join(", ")})`),
    fc.tuple(tie("expression"), tie("expression"), tie("expression")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc.array(tie("expression"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
  ),
}));

/** JSON as a tool may return it: with keys that have a meaning elsewhere. */
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom(null, true, 0, -1.5, 1e308, "", "a", "${input.a}", "[1]", "😀", "\uD83D"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom(...names, "__proto__"), tie("value")), { maxLength: 4 })
      .map(
        (entries) =>
          JSON.parse(
            `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`).join()}}`,
          ) as unknown,
      ),
  ),
})).value;

const scope: fc.Arbitrary<Scope> = fc.record(
  { input: value, steps: value, env: value, context: value, item: value, index: value, run: value, error: value },
  { requiredKeys: [] },
);

/** Installs a trap on every built-in prototype; a read of it reveals a prototype lookup. */
function withTraps(run: (isTouched: () => boolean) => void): void {
  const prototypes = [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype];
  let touched = false;
  const get = (): string => {
    touched = true;
    return "caught";
  };
  for (const prototype of prototypes) Object.defineProperty(prototype, "canary", { configurable: true, get });
  try {
    run(() => touched);
  } finally {
    for (const prototype of prototypes) Reflect.deleteProperty(prototype, "canary");
  }
}

/** Functions and foreign objects must not occur in a result. */
function isData(result: unknown, depth = 0): boolean {
  if (result === missing) return depth === 0;
  if (typeof result === "number") return Number.isFinite(result);
  if (typeof result !== "object" || result === null)
    return typeof result === "string" || typeof result === "boolean" || result === null;
  if (Array.isArray(result)) return result.every((item) => isData(item, depth + 1));
  return (
    Object.getPrototypeOf(result) === Object.prototype && Object.values(result).every((item) => isData(item, depth + 1))
  );
}

/** Only the language's own errors are thrown, and they point into the text. */
function checkError(error: unknown, text: string): void {
  if (!isExpressionError(error)) throw error;
  expect(error.at).toBeGreaterThanOrEqual(0);
  expect(error.at + error.length).toBeLessThanOrEqual(text.length);
  expect(error.message).not.toBe("");
}

test("no expression reaches a prototype, returns anything but data, or throws anything but its own error", () => {
  let evaluated = 0;
  withTraps((isTouched) => {
    const property = fc.property(expression, scope, (text, values) => {
      try {
        expect(isData(compileExpression(text).evaluate(values))).toBe(true);
        evaluated++;
      } catch (error) {
        checkError(error, text);
      }
      expect(isTouched()).toBe(false);
    });
    fc.assert(property, { numRuns: 2000 });
  });
  expect(evaluated).toBeGreaterThan(200);
});

test("evaluating changes nothing", () => {
  fc.assert(
    fc.property(expression, scope, (text, values) => {
      const before = JSON.stringify(values);
      try {
        compileExpression(text).evaluate(values);
      } catch {
        // Another test checks the type of the errors.
      }
      expect(JSON.stringify(values)).toBe(before);
    }),
    { numRuns: 500 },
  );
});

test("any text compiles, or fails with its own error at a position inside it", () => {
  let refused = 0;
  const soup = fc.string({
    unit: fc.constantFrom(
      ..."${}[]().,?:@*'\"\\ -+1aé😀\n".split(""),
      "${",
      "input",
      ".a",
      "??",
      "==",
      "in",
      "size(",
      "\uD83D",
    ),
    maxLength: 40,
  });
  fc.assert(
    fc.property(fc.oneof(soup, fc.string({ unit: "binary" })), (text) => {
      for (const compile of [compileTemplate, compileCondition, compileExpression]) {
        try {
          compile(text);
        } catch (error) {
          checkError(error, text);
          refused++;
        }
      }
    }),
    { numRuns: 2000 },
  );
  expect(refused).toBeGreaterThan(100);
});

test("own keys with the names of inherited ones are ordinary keys", () => {
  const input = JSON.parse('{"constructor": 1, "toString": {"call": 2}, "hasOwnProperty": 3}') as unknown;
  expect(compileExpression("input.constructor").evaluate({ input })).toBe(1);
  expect(compileExpression("input.toString.call").evaluate({ input })).toBe(2);
  expect(compileExpression("input.hasOwnProperty + size(input)").evaluate({ input })).toBe(6);
});

type Row = { readonly area: string; readonly input: unknown; readonly expected: string };

function inputOf({ input }: Row): string {
  if (typeof input === "string") return input;
  const {
    $repeat,
    n,
    prefix = "",
    suffix = "",
  } = input as { $repeat: string; n: number; prefix?: string; suffix?: string };
  return prefix + $repeat.repeat(n) + suffix;
}

const expressionRows = (rows as Row[]).filter(({ area }) => area === "expr-path");

/** Rows that expect less than the language offers: an index may count from the end. */
const allowedByTheLanguage = new Map([["input[-1]", 3]]);

test("the hostile paths exist", () => {
  expect(expressionRows.length).toBeGreaterThanOrEqual(10);
});

test.each(expressionRows)("[A02] a hostile path is refused or leads nowhere: $input", (row) => {
  const text = inputOf(row);
  const values = { input: { q: 1, list: [1, 2, 3] } };
  const outcome = ((): unknown => {
    try {
      return compileTemplate(`\${${text}}`).evaluate(values);
    } catch (error) {
      return isExpressionError(error) ? "refused" : error;
    }
  })();
  const expected = row.expected === "undefined" ? missing : row.expected.replace(/^refuse:.*/, "refused");
  expect(outcome).toBe(allowedByTheLanguage.get(text) ?? expected);
});

test.each((rows as Row[]).filter(({ area }) => area === "env"))(
  "[A02] a variable that was not put into the scope is missing, even if the process has it: $input",
  (row) => {
    const template = compileTemplate(`\${env[input.name]}`);
    expect(template.evaluate({ env: { API_BASE: "x" }, input: { name: inputOf(row) } })).toBe(missing);
    expect(template.references[0]).toMatchObject({ root: "env" });
  },
);

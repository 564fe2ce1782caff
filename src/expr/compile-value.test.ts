import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileTemplate, compileValue, missing } from "./index.ts";

const scope = { input: { n: 3, topic: "tea", list: [1] }, steps: {} };
const evaluate = (value: unknown, whenMissing: "drop" | "null" = "drop"): unknown =>
  compileValue(value, { missing: whenMissing }).value.evaluate(scope);

describe("[A03] a value is resolved through nested maps and lists", () => {
  test("texts are templates, the rest stays", () => {
    const value = { q: "${input.topic}", deep: [{ n: "${input.n}", t: "n=${input.n}" }, 1, null, true], c: { k: "v" } };
    expect(evaluate(value)).toEqual({ q: "tea", deep: [{ n: 3, t: "n=3" }, 1, null, true], c: { k: "v" } });
  });

  test("keys are never templates, and $${ is a literal ${", () => {
    expect(evaluate({ "${input.n}": "$${input.n}" })).toEqual({ "${input.n}": "${input.n}" });
  });

  test("a missing value drops its key at any depth, and is null in a list", () => {
    const value = { a: "${input.x}", b: { c: "${input.x}", d: ["${input.x}", 1] } };
    expect(evaluate(value)).toEqual({ b: { d: [null, 1] } });
    expect(Object.keys(evaluate({ a: "${input.x}" }) as object)).toEqual([]);
  });

  test("a missing value becomes null if requested", () => {
    expect(evaluate({ a: "${input.x}", b: ["${input.x}"] }, "null")).toEqual({ a: null, b: [null] });
  });

  test("a value that is itself missing stays so", () => {
    expect(evaluate("${input.x}")).toBe(missing);
    expect(evaluate("${input.x}", "null")).toBe(missing);
  });

  test("parts without ${…} are not copied", () => {
    const fixed = { deep: [{ x: 1 }] };
    const result = evaluate({ a: "${input.n}", fixed }) as { fixed: unknown };
    expect(result.fixed).toBe(fixed);
    expect(compileValue(fixed, { missing: "drop" }).value.constant).toBe(true);
    expect(evaluate(fixed)).toBe(fixed);
    expect(compileValue("$${x}", { missing: "drop" }).value.constant).toBe(true);
  });

  test("values that are not JSON pass through", () => {
    const date = new Date(0);
    expect(evaluate({ date, a: "${input.n}" })).toEqual({ date, a: 3 });
    expect(evaluate(undefined)).toBe(undefined);
  });

  test("a key named __proto__ is a key like others", () => {
    const value = JSON.parse('{"__proto__": {"polluted": "${input.n}"}, "constructor": "${input.topic}"}') as unknown;
    const result = evaluate(value) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":3},"constructor":"tea"}');
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
  });
});

test("all errors are collected, each with its path in the value", () => {
  const { value, errors } = compileValue(
    { a: "${nope.x}", b: ["ok", "${input.", { c: "x ${lowr(1)}" }], d: "${input.n}" },
    { missing: "drop" },
  );
  expect(errors.map(({ path, error }) => [path, error.fault])).toEqual([
    [["a"], "unknown_root"],
    [["b", 1], "syntax"],
    [["b", 2, "c"], "unknown_function"],
  ]);
  expect(value.evaluate(scope)).toEqual({ b: ["ok", null, {}], d: 3 });
});

test("references and secrets are known with their paths", () => {
  const { value } = compileValue({ a: ["${input.n} ${steps.s.output}"], k: "${secret.KEY}" }, { missing: "drop" });
  expect(value.references.map(({ text, valuePath }) => [text, valuePath])).toEqual([
    ["input.n", ["a", 0]],
    ["steps.s.output", ["a", 0]],
    ["secret.KEY", ["k"]],
  ]);
  expect(value.secrets).toEqual([{ name: "KEY", valuePath: ["k"] }]);
});

test("a failed evaluation names the text of the value that failed", () => {
  const { value } = compileValue({ headers: [{ a: "x ${input.q}" }] }, { missing: "drop" });
  expect(() => value.evaluate(scope)).toThrow(
    expect.objectContaining({ fault: "missing", valuePath: ["headers", 0, "a"], at: 4 }),
  );
});

test("a cyclic value, and one with the same part many times over, are refused", () => {
  const cyclic: Record<string, unknown> = { a: "${input.n}" };
  cyclic["self"] = cyclic;
  expect(compileValue(cyclic, { missing: "drop" }).errors.map(({ error }) => error.fault)).toEqual(["too_deep"]);
  let doubled: unknown = "${input.n}";
  for (let level = 0; level < 40; level++) doubled = [doubled, doubled];
  expect(compileValue(doubled, { missing: "drop" }).errors.map(({ error }) => error.fault)).toEqual(["too_complex"]);
});

test("any JSON without ${ evaluates to itself", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!JSON.stringify(value).includes("${"));
      expect(evaluate(value)).toEqual(value);
    }),
  );
});

test("any text is the value of a template that writes its ${ as $${", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("$", "{", "}", "a", "${", "'") }), (text) => {
      expect(compileTemplate(text.replaceAll("${", () => "$${")).evaluate({})).toBe(text);
    }),
  );
});

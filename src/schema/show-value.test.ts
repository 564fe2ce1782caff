import { expect, test } from "vitest";
import { showValue } from "./show-value.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

test.each<[unknown, string]>([
  ["a\nb", '"a\\nb"'],
  [1.5, "1.5"],
  [5n, "5n"],
  [null, "null"],
  [undefined, "nothing"],
  [[1, "a", [2]], '[1,"a",[2]]'],
  [{ a: { b: 1 } }, '{"a":{"b":1}}'],
  [new Date(0), "1970-01-01T00:00:00.000Z"],
  [new Date(Number.NaN), "an invalid date"],
  [() => 1, "a function"],
  [Symbol("x"), "Symbol(x)"],
  [[[[[[1]]]]], "[[[[[…]]]]]"],
])("%s", (value, text) => {
  expect(showValue(value)).toBe(text);
});

test("a value of any size is truncated to 80 characters quickly", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  for (const value of ["x".repeat(1e7), Array.from({ length: 1e6 }, () => "abc"), cyclic, "😀".repeat(100)]) {
    const started = cpuTime();
    expect(showValue(value).length).toBeLessThanOrEqual(80);
    expect(showValue(value).isWellFormed()).toBe(true);
    expect(cpuTime() - started).toBeLessThan(100);
  }
});

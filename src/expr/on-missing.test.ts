import { expect, test } from "vitest";
import { compileCondition, compileTemplate, compileValue } from "./index.ts";

const scope = { input: { list: [{ a: 1 }, {}], n: 1 } };

function swallowed(text: string): string[] {
  const reported: string[] = [];
  compileCondition(text).holds(scope, { onMissing: (path) => reported.push(path) });
  return reported;
}

test.each<[string, string[]]>([
  ["${input.x}", ["input.x"]],
  ["${input.x > 1}", ["input.x"]],
  ["${input.x == null}", ["input.x"]],
  ["${!input.x && input.y}", ["input.x", "input.y"]],
  ["${input.n || input.y}", []],
  ["${input.n && input.y.z}", ["input.y.z"]],
  ["${input.x ?? input.y ?? 1}", ["input.x", "input.y"]],
  ["${has(input.x)}", ["input.x"]],
  ["${size(input.x[*].y) == 0}", ["input.x[*].y"]],
  ["${default(input.x, 1)}", ["input.x"]],
  ["${first([])}", ["first([])"]],
  ["${input.n ? input.x : input.y}", ["input.x"]],
  ["${'a' in input.x}", ["input.x"]],
  // Missing values in the items of a filter are not reported: filters exist to test them.
  ["${input.list[?@.a > 0].a}", []],
  ["${input.n > 0}", []],
  ["${input.list[?@.a == input.x]}", ["input.x"]],
  ["${input.x == 1 || input.x == 2 || input.y}", ["input.x", "input.y"]],
])("missing values that a condition accepts are reported: %s", (text, paths) => {
  expect(swallowed(text)).toEqual(paths);
});

test("a missing whole value is reported too", () => {
  const reported: string[] = [];
  const evaluation = { onMissing: (path: string) => reported.push(path) };
  compileTemplate("${input.x.y}").evaluate(scope, evaluation);
  compileValue({ a: ["${input.z}"], b: "${input.n}" }, { missing: "drop" }).value.evaluate(scope, evaluation);
  expect(reported).toEqual(["input.x.y", "input.z"]);
});

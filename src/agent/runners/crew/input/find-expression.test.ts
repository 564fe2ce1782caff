import { expect, test } from "vitest";
import { findExpression } from "./input-by-rule.ts";
import { cpuTime } from "../../../../../test/support/cpu-time.ts";

test.each([
  ["Calculate 12 × 7", "12 * 7"],
  ["What is (2 + 3) * 4?", "(2 + 3) * 4"],
  ["计算 12 乘以 7", "12 * 7"],
  ["请计算（3+4）×5。", "(3+4)*5"],
  ["3 plus 4 divided by 2", "3 + 4 / 2"],
  ["15% of 240", "(15 / 100) * 240"],
  ["240的15%", "240 * (15 / 100)"],
  ["Multiply: 1,200 * 3", "1200 * 3"],
  ["12 x 3", "12 * 3"],
  ["the root sqrt(16) + 2", "sqrt(16) + 2"],
  ["2^10", "2^10"],
  ["- 3 + 4", "3 + 4"],
  ["either 1 + 1 or 100 + 200", "100 + 200"],
  ["(as said, 2 + 3", "2 + 3"],
])("in %s there is %s", (text, expression) => {
  expect(findExpression(text)).toBe(expression);
});

test.each([
  "Calculate the total price",
  "计算总价",
  "There are 12 apples",
  "On 2024-01-05 it rained",
  "call 555-0123-99",
  "",
  "+ - * /",
  "()",
])("in %s there is no calculation", (text) => {
  expect(findExpression(text)).toBeUndefined();
});

test("hostile texts are searched quickly", () => {
  const from = cpuTime();
  for (const text of [
    "(".repeat(100_000),
    "1 ".repeat(50_000),
    "1+".repeat(50_000),
    "1,".repeat(50_000),
    "%".repeat(99_999),
  ]) {
    findExpression(text);
  }
  expect(cpuTime() - from).toBeLessThan(1000);
});

import { expect, test } from "vitest";
import { parseChainDuration } from "./chain-durations.ts";

test.each([
  [1, 1_000],
  [0, 0],
  [0.0001, 1],
  [1.5, 1_500],
  ["500ms", 500],
  ["30s", 30_000],
  [" 2 m ", 120_000],
  ["1.5h", 5_400_000],
  ["7d", 604_800_000],
  ["365d", 31_536_000_000],
])("%j is %i ms", (input, ms) => {
  expect(parseChainDuration(input)).toBe(ms);
});

test.each([
  -1,
  Number.NaN,
  Infinity,
  1e12,
  "366d",
  "5",
  "5 weeks",
  "-1s",
  "1e3s",
  "",
  "1s 2m",
  `${" ".repeat(50_000)}x`,
  null,
  undefined,
  [],
  {},
])("%j is not a duration", (input) => {
  expect(parseChainDuration(input)).toBeUndefined();
});

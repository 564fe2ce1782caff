import { expect, test } from "vitest";
import { formatBytes, formatCount, formatDuration, formatNumber, formatTime } from "./format-figures.ts";

test.each([
  [0, "0 ms"],
  [0.42, "0.4 ms"],
  [12.3, "12 ms"],
  [3210, "3.2 s"],
  [125_000, "2 min 5 s"],
  [86_399_000, "23 h 59 min"],
])("%i ms is formatted as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [61_440, "61.4 kB"],
  [1.5e9, "1.5 GB"],
])("%i bytes is formatted as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("numbers and counts are formatted with separators and plurals", () => {
  expect([0, 999, 1000, 1_234_567].map(formatNumber)).toEqual(["0", "999", "1,000", "1,234,567"]);
  expect([formatCount(1, "call"), formatCount(12_000, "call")]).toEqual(["1 call", "12,000 calls"]);
});

test("a time is in local time, and an invalid one does not throw", () => {
  expect(formatTime(new Date(2026, 10, 5, 8, 9, 7).getTime())).toBe("2026-11-05 08:09:07");
  expect(formatTime(Number.NaN)).toBe("unknown");
});

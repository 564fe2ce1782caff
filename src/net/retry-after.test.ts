import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const now = Date.UTC(2026, 10, 15, 8, 0, 0);

test.each([
  ["0", 0],
  ["120", 120_000],
  [" 7 ", 7000],
  ["1.5", 1500],
  ["9".repeat(400), Number.MAX_SAFE_INTEGER],
  ["Sun, 15 Nov 2026 08:00:30 GMT", 30_000],
  ["Sunday, 15-Nov-26 08:01:00 GMT", 60_000],
  ["Sun Nov 15 08:00:05 2026", 5000],
  ["Sun, 15 Nov 2026 07:00:00 GMT", 0],
])("Retry-After %j waits %i ms", (value, ms) => {
  expect(retryAfterMs(value, now)).toBe(ms);
});

test.each([undefined, "", "soon", "-1", "1e9", "0x10", "Sun, 99 Foo 2026", "12 monkeys"])(
  "Retry-After %j is ignored",
  (value) => {
    expect(retryAfterMs(value, now)).toBeUndefined();
  },
);

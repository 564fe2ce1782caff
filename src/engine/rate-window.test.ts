import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isFailureError } from "../base/index.ts";
import { RateWindow, parseRate } from "./rate-window.ts";

test.each([
  ["10/s", 10, 1000],
  ["100/m", 100, 60_000],
  ["100/min", 100, 60_000],
  ["5/2s", 5, 2000],
  ["1/250ms", 1, 250],
  ["1000/h", 1000, 3_600_000],
  [" 3 / 10 s ", 3, 10_000],
])("reads %s", (text, count, windowMs) => {
  expect(parseRate(text)).toEqual({ count, windowMs });
});

test.each([
  "",
  "10",
  "10/",
  "/s",
  "0/s",
  "-1/s",
  "1.5/s",
  "1/0s",
  "10/d",
  "10/s/s",
  "999999999/s",
  "10 per s",
  "１０/s",
  "1e3/s",
])("%j is refused with an example", (text) => {
  let thrown: unknown;
  try {
    parseRate(text);
  } catch (error) {
    thrown = error;
  }
  expect(isFailureError(thrown) && thrown.code).toBe("file_invalid");
  expect(String(thrown)).toContain(`"${text}" is not a rate; write for example 10/s`);
});

test("a rate is exact around a refill, where a token bucket would let twice as many through", () => {
  const window = new RateWindow({ count: 2, windowMs: 100 });
  window.take(95);
  window.take(99);
  expect(window.waitMs(100)).toBe(95);
  expect(window.waitMs(194)).toBe(1);
  expect(window.waitMs(195)).toBe(0);
  window.take(195);
  expect(window.waitMs(195)).toBe(4);
});

test("no window of this length ever holds more than the count, and no start waits longer than necessary", () => {
  const pauses = fc.array(fc.nat(30), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 40 }), pauses, (count, windowMs, waits) => {
      const window = new RateWindow({ count, windowMs });
      const starts: number[] = [];
      let now = 1000;
      for (const wait of waits) {
        now += wait;
        const waitMs = window.waitMs(now);
        const recent = starts.filter((at) => at > now - windowMs);
        expect(waitMs === 0).toBe(recent.length < count);
        now += waitMs;
        expect(window.waitMs(now)).toBe(0);
        window.take(now);
        starts.push(now);
      }
      for (let at = count; at < starts.length; at++) {
        expect(starts[at]! - starts[at - count]!).toBeGreaterThanOrEqual(windowMs);
      }
    }),
    { seed: 13, numRuns: 200 },
  );
});

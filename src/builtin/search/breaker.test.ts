import { describe, expect, test } from "vitest";
import { SearchBreaker } from "./breaker.ts";
import { RateBucket } from "./search.ts";

describe("a breaker", () => {
  const limits = { failures: 2, coolDownMs: 100, maxCoolDownMs: 300 };

  test("opens after consecutive failures, and allows one probe after the cool-down", () => {
    const breaker = new SearchBreaker(limits);
    expect(breaker.enter(0)).toBe(0);
    breaker.fail(0);
    expect(breaker.enter(1)).toBe(0);
    breaker.fail(1);
    expect(breaker.enter(2)).toBe(99);
    expect(breaker.enter(101)).toBe(0);
    expect(breaker.enter(101)).toBeGreaterThan(0);
    breaker.succeed();
    expect([breaker.enter(102), breaker.enter(102)]).toEqual([0, 0]);
  });

  test("cools down longer each time that the probe fails, up to a limit", () => {
    const breaker = new SearchBreaker(limits);
    breaker.fail(0);
    breaker.fail(0);
    let now = 100;
    const rests: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      expect(breaker.enter(now)).toBe(0);
      breaker.fail(now);
      const rest = breaker.enter(now);
      rests.push(rest);
      now += rest;
    }
    expect(rests).toEqual([200, 300, 300, 300]);
  });

  test("cools down at once if the provider requests a delay", () => {
    const breaker = new SearchBreaker(limits);
    expect(breaker.fail(0, { waitMs: 250 })).toBe(250);
    expect(breaker.enter(0)).toBe(250);
  });

  test("counts calls, not how often each tried", () => {
    const breaker = new SearchBreaker(limits);
    expect(["a", "a", "a"].map((call) => breaker.fail(0, { call }))).toEqual([0, 0, 0]);
    expect(breaker.enter(0)).toBe(0);
    expect(breaker.fail(0, { call: "b" })).toBe(100);
    expect(breaker.enter(0)).toBe(100);
  });

  test("a late failure does not shorten the cool-down", () => {
    const breaker = new SearchBreaker(limits);
    breaker.fail(0, { waitMs: 300 });
    breaker.fail(10, { waitMs: 20 });
    expect(breaker.enter(10)).toBeGreaterThanOrEqual(290);
  });

  test("a success resets the count, and a neutral outcome does not change it", () => {
    const breaker = new SearchBreaker(limits);
    breaker.fail(0);
    breaker.succeed();
    breaker.fail(0);
    breaker.forget();
    expect(breaker.enter(0)).toBe(0);
    breaker.fail(0);
    breaker.enter(200);
    breaker.forget();
    expect(breaker.enter(200)).toBe(0);
  });
});

test("a bucket allows a short burst, then the configured rate", () => {
  const bucket = new RateBucket(60);
  expect(Array.from({ length: 7 }, () => bucket.take(0))).toEqual([0, 0, 0, 0, 0, 0, 1000]);
  expect(bucket.take(999)).toBe(1);
  expect(bucket.take(1000)).toBe(0);
  expect(bucket.take(1000)).toBe(1000);
  expect(Array.from({ length: 7 }, () => bucket.take(1_000_000)).filter((wait) => wait === 0)).toHaveLength(6);
});

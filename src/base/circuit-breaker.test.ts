import { describe, expect, test } from "vitest";
import { CircuitBreaker } from "./circuit-breaker.ts";

/** Starts work if it may start; returns the remaining cool-down. */
function enter(breaker: CircuitBreaker, now: number): number {
  const coolDownMs = breaker.coolDownMs(now);
  if (coolDownMs === 0) breaker.enter();
  return coolDownMs;
}

describe("a circuit breaker", () => {
  const limits = { failureThreshold: 2, coolDownMs: 100, maxCoolDownMs: 300 };

  test("opens after consecutive failures, and allows one probe after the cool-down", () => {
    const breaker = new CircuitBreaker(limits);
    expect(enter(breaker, 0)).toBe(0);
    breaker.failed(0);
    expect(enter(breaker, 1)).toBe(0);
    breaker.failed(1);
    expect(enter(breaker, 2)).toBe(99);
    expect(enter(breaker, 101)).toBe(0);
    expect(enter(breaker, 101)).toBeGreaterThan(0);
    breaker.succeeded();
    expect([enter(breaker, 102), enter(breaker, 102)]).toEqual([0, 0]);
  });

  test("cools down longer each time that the probe fails, up to a limit", () => {
    const breaker = new CircuitBreaker(limits);
    breaker.failed(0);
    breaker.failed(0);
    let now = 100;
    const coolDowns: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      expect(enter(breaker, now)).toBe(0);
      breaker.failed(now);
      const coolDown = enter(breaker, now);
      coolDowns.push(coolDown);
      now += coolDown;
    }
    expect(coolDowns).toEqual([200, 300, 300, 300]);
  });

  test("cools down at once if the service requests a delay", () => {
    const breaker = new CircuitBreaker(limits);
    expect(breaker.failed(0, { waitMs: 250 })).toBe(250);
    expect(enter(breaker, 0)).toBe(250);
  });

  test("counts calls, not how often each tried", () => {
    const breaker = new CircuitBreaker(limits);
    expect(["a", "a", "a"].map((call) => breaker.failed(0, { call }))).toEqual([0, 0, 0]);
    expect(enter(breaker, 0)).toBe(0);
    expect(breaker.failed(0, { call: "b" })).toBe(100);
    expect(enter(breaker, 0)).toBe(100);
  });

  test("a late failure does not shorten the cool-down", () => {
    const breaker = new CircuitBreaker(limits);
    breaker.failed(0, { waitMs: 300 });
    breaker.failed(10, { waitMs: 20 });
    expect(enter(breaker, 10)).toBeGreaterThanOrEqual(290);
  });

  test("a success resets the count, and a neutral outcome does not change it", () => {
    const breaker = new CircuitBreaker(limits);
    breaker.failed(0);
    breaker.succeeded();
    breaker.failed(0);
    breaker.ignored();
    expect(enter(breaker, 0)).toBe(0);
    breaker.failed(0);
    enter(breaker, 200);
    breaker.ignored();
    expect(enter(breaker, 200)).toBe(0);
  });

  test("makes up to half of a cool-down random", () => {
    const random = [0, 0.5];
    const breaker = new CircuitBreaker(limits, () => random.shift() ?? 1);
    const coolDowns = [0, 1, 2].map((at) => breaker.failed(at * 1000, { waitMs: 0 }));
    expect(coolDowns).toEqual([50, 150, 300]);
  });
});

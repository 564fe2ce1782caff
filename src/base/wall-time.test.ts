import { expect, test } from "vitest";
import { WallTime } from "./clock.ts";

/** A clock whose two times diverge, as when the system clock is set. */
function clock() {
  const times = { now: 1_000_000, elapsed: 50.25, reads: 0 };
  return {
    times,
    now: () => {
      times.reads++;
      return times.now;
    },
    elapsed: () => times.elapsed,
    after: () => ({ cancel: () => {}, hold: () => {} }),
  };
}

test("returns whole epoch milliseconds for elapsed times, and reads the clock once a second", () => {
  const source = clock();
  const wall = new WallTime(source);
  expect(wall.at(50.25)).toBe(1_000_000);
  expect(wall.at(60.75)).toBe(1_000_011);
  expect(wall.at(1050)).toBe(1_001_000);
  expect(source.times.reads).toBe(1);
});

test("a changed system clock is detected within a second", () => {
  const source = clock();
  const wall = new WallTime(source);
  wall.at(50.25);
  source.times.now = 9_000_000;
  expect(wall.at(1000)).toBe(1_000_950);
  expect(wall.at(1051.25)).toBe(9_000_000);
  expect(source.times.reads).toBe(2);
});

test("a time before the last comparison is computed, without reading the clock", () => {
  const source = clock();
  const wall = new WallTime(source);
  wall.at(5000);
  expect(wall.at(4000)).toBe(999_000);
  expect(source.times.reads).toBe(1);
});

import { expect, test } from "vitest";
import { FailedAttempts } from "./failed-attempts.ts";

let now = 0;
const open = (): FailedAttempts => {
  now = 0;
  return new FailedAttempts({ elapsed: () => now });
};

function fail(attempts: FailedAttempts, address: string | undefined, times: number): number {
  for (let count = 0; count < times; count++) attempts.failed(address);
  return attempts.pauseMs(address);
}

test("the first failures cost nothing, each further one doubles the pause up to a minute [P06]", () => {
  const attempts = open();
  expect(fail(attempts, "10.0.0.1", 10)).toBe(0);
  const pauses = Array.from({ length: 9 }, () => fail(attempts, "10.0.0.1", 1));
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  expect(fail(attempts, "10.0.0.1", 10_000)).toBe(60_000);
  now += 59_999;
  expect(attempts.pauseMs("10.0.0.1")).toBe(1);
  now += 1;
  expect(attempts.pauseMs("10.0.0.1")).toBe(0);
  expect(fail(attempts, "10.0.0.1", 1)).toBe(60_000);
});

test("failures are forgotten after a quarter of an hour without one [P06]", () => {
  const attempts = open();
  expect(fail(attempts, "10.0.0.1", 20)).toBe(60_000);
  now += 15 * 60_000;
  expect(fail(attempts, "10.0.0.1", 10)).toBe(0);
});

test.each([
  ["10.0.0.1", "10.0.0.2", false],
  ["10.0.0.1", "::ffff:10.0.0.1", true],
  ["::ffff:10.0.0.1", "::ffff:10.0.0.2", false],
  ["2001:db8::1", "2001:db8::ffff:ffff:1:2", true],
  ["2001:db8:0:1::1", "2001:db8:0:2::1", false],
  [undefined, "10.0.0.1", false],
  ["fe80::1%eth0", undefined, true],
])("%s and %s are one client: %s [P06]", (one, other, isSame) => {
  const attempts = open();
  fail(attempts, one, 20);
  expect(attempts.pauseMs(other) > 0).toBe(isSame);
});

test("a hundred thousand networks take bounded memory, and the latest are remembered [P06]", () => {
  const attempts = open();
  for (let high = 0; high < 400; high++)
    for (let low = 0; low < 250; low++) attempts.failed(`2001:db8:${high.toString(16)}:${low.toString(16)}::1`);
  expect(fail(attempts, "2001:db8:18f:f9::7", 10)).toBe(1_000);
  // One of the first: it was forgotten.
  expect(fail(attempts, "2001:db8:0:0::7", 10)).toBe(0);
});

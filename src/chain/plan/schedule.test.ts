import { expect, test } from "vitest";
import { Schedule, isSchedule } from "./schedule.ts";

function times(expression: string, from: string, count: number, timezone = "America/New_York"): string[] {
  const schedule = Schedule.parse(expression, timezone);
  if (!isSchedule(schedule)) throw new Error(schedule.message);
  const found: string[] = [];
  let at = Date.parse(from);
  while (found.length < count) {
    at = schedule.next(at) ?? Number.NaN;
    found.push(new Date(at).toISOString().replace(":00.000Z", "Z"));
  }
  // Looking back finds the same times.
  const before = schedule.between(Date.parse(from), at, 100).map((time) => new Date(time).toISOString());
  expect(before.map((time) => time.replace(":00.000Z", "Z"))).toEqual(found);
  return found;
}

test("in spring, a time that is skipped fires at the first moment after it, others as usual [P09]", () => {
  // On 8 March 2026, 02:00 became 03:00 (07:00 UTC).
  expect(times("30 1 * * *", "2026-03-07T12:00Z", 2)).toEqual(["2026-03-08T06:30Z", "2026-03-09T05:30Z"]);
  expect(times("30 2 * * *", "2026-03-07T12:00Z", 2)).toEqual(["2026-03-08T07:00Z", "2026-03-09T06:30Z"]);
  expect(times("30 3 * * *", "2026-03-07T12:00Z", 1)).toEqual(["2026-03-08T07:30Z"]);
});

test("in autumn, a time that comes twice fires the first time [P09]", () => {
  // On 1 November 2026, 02:00 became 01:00 (06:00 UTC).
  expect(times("30 1 * * *", "2026-10-31T12:00Z", 2)).toEqual(["2026-11-01T05:30Z", "2026-11-02T06:30Z"]);
  expect(times("30 2 * * *", "2026-10-31T12:00Z", 2)).toEqual(["2026-11-01T07:30Z", "2026-11-02T07:30Z"]);
});

test("a schedule that repeats within the day follows the time that has passed [P09]", () => {
  const spring = times("*/30 * * * *", "2026-03-08T06:10Z", 3);
  expect(spring).toEqual(["2026-03-08T06:30Z", "2026-03-08T07:00Z", "2026-03-08T07:30Z"]);
  const autumn = times("*/30 * * * *", "2026-11-01T05:10Z", 4);
  expect(autumn).toEqual(["2026-11-01T05:30Z", "2026-11-01T06:00Z", "2026-11-01T06:30Z", "2026-11-01T07:00Z"]);
});

test("six fields begin with seconds, and looking back is limited to the latest times", () => {
  const schedule = Schedule.parse("* * * * * *", "UTC");
  if (!isSchedule(schedule)) throw new Error(schedule.message);
  const week = 7 * 86_400_000;
  const found = schedule.between(0, week, 100);
  expect([found.length, found[0], found.at(-1)]).toEqual([100, week - 99_000, week]);
  expect(schedule.between(week, week, 100)).toEqual([]);
  expect(schedule.between(week - 1, week, 1)).toEqual([week]);
  expect(schedule.between(week + 5_000, week, 100)).toEqual([]);
});

test.each<readonly [expression: string, timezone: string | undefined, code: string, part: RegExp]>([
  ["61 * * * *", "UTC", "bad_schedule", /minute/],
  ["* * * *", "UTC", "bad_schedule", /4 fields.*five or six/],
  ["* * * * * * *", "UTC", "bad_schedule", /7 fields/],
  ["", "UTC", "bad_schedule", /five or six/],
  ["@daily", "UTC", "bad_schedule", /write "0 0 \* \* \*"/],
  ["2026-01-01T00:00:00Z", "UTC", "bad_schedule", /five or six/],
  ["0 0 * * FUNDAY", "UTC", "bad_schedule", /illegal/],
  ["*/0 * * * *", "UTC", "bad_schedule", /stepping/],
  ["0 0 30 2 *", "UTC", "never_fires", /day/],
  ["0 0 31 4,6,9,11 *", undefined, "never_fires", /day/],
  ["0 0 * * *", "Europe/Berln", "unknown_timezone", /Europe\/Berlin/],
  ["0 0 * * *", "Mars/Base", "unknown_timezone", /such as/],
])("%s in %s is refused with advice", (expression, timezone, code, advice) => {
  const fault = Schedule.parse(expression, timezone);
  if (isSchedule(fault)) throw new Error("it was accepted");
  expect(fault.code).toBe(code);
  expect(fault.hint).toMatch(advice);
});

test("29 February fires although it is rare", () => {
  expect(times("0 0 29 2 *", "2026-01-01T00:00Z", 1, "UTC")).toEqual(["2028-02-29T00:00Z"]);
});

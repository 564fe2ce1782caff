import { describe, expect, test } from "vitest";
import { parseTimeOption } from "./parse-time-option.ts";

const now = Date.parse("2026-11-15T12:00:00Z");

test.each([
  ["90s", now - 90_000],
  ["30m", now - 1_800_000],
  ["1.5h", now - 5_400_000],
  ["7d", now - 604_800_000],
  ["2 w", now - 1_209_600_000],
  ["2026-11-15", new Date(2026, 10, 15).getTime()],
  ["2026-11-15T08:30", new Date(2026, 10, 15, 8, 30).getTime()],
  ["2026-11-15 08:30:05", new Date(2026, 10, 15, 8, 30, 5).getTime()],
  ["2026-11-15T08:30:00Z", Date.parse("2026-11-15T08:30:00Z")],
  ["2026-11-15T08:30:00+08:00", Date.parse("2026-11-15T00:30:00Z")],
  ["2026-11-15t08:30z", Date.parse("2026-11-15T08:30:00Z")],
])("%s", (text, at) => {
  expect(parseTimeOption("--since", text, now)).toBe(at);
});

describe("rejects other text and lists the accepted forms", () => {
  test.each(["", "yesterday", "7", "-1h", "1y", "2026-02-30", "2026-13-01", "2026-11-15T25:00", "15.11.2026", "0x1h"])(
    "%j",
    (text) => {
      expect(() => parseTimeOption("--since", text, now)).toThrow(`--since: invalid time ${JSON.stringify(text)}`);
    },
  );
});

test("an omitted option is undefined", () => {
  expect(parseTimeOption("--since", undefined, now)).toBeUndefined();
});

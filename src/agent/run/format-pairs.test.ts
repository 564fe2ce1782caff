import { describe, expect, test } from "vitest";
import { formatPairs } from "./summarize-result.ts";

const monday = Date.UTC(2026, 10, 2);

describe("[E13] a flat record is shown as pairs", () => {
  test.each<[what: string, input: readonly [value: unknown, timezone?: string], text: string]>([
    ["texts and numbers", [{ path: "a.txt", bytes: 12, isNew: true }], "path: a.txt, bytes: 12, isNew: true"],
    ["nothing", [{ answer: null, text: "", gap: " " }], 'answer: null, text: "", gap: ""'],
    ["what is not said", [{ a: 1, b: undefined }], "a: 1"],
    [
      "times in UTC",
      [{ startTime: monday, end: monday + 60_000 }],
      "startTime: 2026-11-02 00:00 UTC, end: 2026-11-02 00:01 UTC",
    ],
    [
      "times in a zone",
      [{ startTime: monday, created_at: monday }, "Asia/Shanghai"],
      "startTime: 2026-11-02 08:00, created_at: 2026-11-02 08:00",
    ],
    ["times in a zone that is none", [{ expiresAt: monday }, "nowhere"], "expiresAt: 2026-11-02 00:00 UTC"],
    [
      "numbers that are no times",
      [{ format: monday, runTime: 1200, at: 1.5e12 + 0.5 }],
      `format: ${monday}, runTime: 1200, at: 1500000000000.5`,
    ],
  ])("%s", (_, [value, timezone], reported) => {
    expect(formatPairs(value, timezone)).toBe(reported);
  });

  test("any other value is not shown as pairs", () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${at}`, at]));
    for (const value of ["text", 1, null, undefined, [], ["a"], {}, many, { a: [] }, { a: { b: 1 } }, { a: 1n }]) {
      expect(formatPairs(value, "UTC")).toBeUndefined();
    }
  });
});

import { describe, expect, test } from "vitest";
import { formats } from "./format.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

describe("formats", () => {
  test.each<[string, string[], string[]]>([
    [
      "date-time",
      ["2026-01-31T10:00:00Z", "2026-01-31t10:00:00.123+08:00", "2026-01-31 10:00:00z", "2016-12-31T23:59:60Z"],
      [
        "2026-01-31",
        "2026-01-31T10:00:00",
        "2026-02-30T10:00:00Z",
        "2026-01-31T25:00:00Z",
        "2026-01-31T10:00:00+25:00",
        "x",
      ],
    ],
    [
      "date",
      ["2026-01-31", "2024-02-29", "2000-02-29"],
      ["2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "2026-01-00"],
    ],
    ["time", ["10:00:00Z", "10:00:00.5+01:00"], ["10:00", "10:00:00", "10:61:00Z"]],
    ["duration", ["P1D", "PT5M", "P1Y2M3DT4H5M6.5S", "P2W"], ["P", "PT", "1D", "P1S", "P-1D"]],
    [
      "email",
      ["a@example.com", "a.b+c@example.co.uk", "用户@例子.公司", "a@localhost"],
      ["a", "@a.com", "a@", "a..b@x.com", ".a@x.com", "a b@x.com", `${"a".repeat(65)}@x.com`],
    ],
    [
      "hostname",
      ["example.com", "a-b.c", "localhost", "1.2.3.4"],
      ["", "-a.com", "a..b", "a_b.com", "x".repeat(64), `${"a.".repeat(127)}abc`],
    ],
    ["ipv4", ["127.0.0.1"], ["127.0.0.256", "127.1", "::1"]],
    ["ipv6", ["::1", "fe80::1"], ["127.0.0.1", "fe80::1%eth0", ":::"]],
    [
      "uri",
      ["https://example.com/a?b#c", "mailto:a@b.c", "urn:x:y"],
      ["example.com", "/a", "https://", "https://a b", "http:"],
    ],
    ["url", ["https://example.com"], ["example"]],
    ["uri-reference", ["/a/b?c", "https://x.y", "", "#a"], ["a b", "<x>"]],
    ["uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567e89b12d3a456426614174000", "x"]],
  ])("%s", (name, good, bad) => {
    for (const text of good) expect([text, formats[name]?.(text)]).toEqual([text, true]);
    for (const text of bad) expect([text, formats[name]?.(text)]).toEqual([text, false]);
  });

  test("every check is fast on a long text of any kind", () => {
    const texts = ["1", "a", ".", "-", "a.", "P1", "1D", ":", "@", "a@", "/", " ", "\u0000", "é"].map((part) =>
      part.repeat(500_000),
    );
    for (const check of Object.values(formats)) {
      for (const text of texts) {
        const started = cpuTime();
        check(text);
        check(`P${text}`);
        check(`a:${text}`);
        expect(cpuTime() - started).toBeLessThan(500);
      }
    }
  });
});

import { describe, expect, test } from "vitest";
import { findZone } from "../time/zone.ts";
import { toIsoInZone, resolveNoteTime } from "./note-time.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

const shanghai = findZone("Asia/Shanghai");
const copied = Date.parse("2026-11-15T12:00:00Z");

const dateOf = (path: string, ...dates: string[]): string =>
  toIsoInZone(shanghai, resolveNoteTime({ path, dates, modifiedMs: copied }, shanghai)).slice(0, 10);

describe("the time of a note", () => {
  test.each([
    ["2026-11-03.md", "2026-11-03"],
    ["daily/2026-11-03-standup.md", "2026-11-03"],
    ["Standup 2026-11-03.md", "2026-11-03"],
    ["20261103.md", "2026-11-03"],
    ["202611031430 Tides.md", "2026-11-03"],
    ["20261103T143000.md", "2026-11-03"],
    ["2026_11_03.md", "2026-11-03"],
    ["2026.11.3.md", "2026-11-03"],
    ["日记2026年11月3日.md", "2026-11-03"],
    ["2026/11/03.md", "2026-11-03"],
    ["diary/2026/11/03 lunch.md", "2026-11-03"],
    ["2026/11/2026-11-04.md", "2026-11-04"],
    ["2026-13-45 and 2026-11-03.md", "2026-11-03"],
  ])("is the day in its name: %s", (path, day) => expect(dateOf(path, "2020-01-01")).toBe(day));

  test.each([
    "2026-13-45.md",
    "2026-02-30.md",
    "20261-11-03.md",
    "2026-11-031.md",
    "20261345.md",
    "120261103.md",
    "0226-11-03.md",
    "9999-12-31.md",
    "part20261103x.md",
    "2026-11.md",
    "2026/13/03.md",
    "2026/11/x/03.md",
    "2026-11-03/note.md",
    "10.0.0.5.md",
  ])("is not read from a path without a valid date: %s", (path) => {
    expect(dateOf(path, "2020-01-01")).toBe("2020-01-01");
    expect(dateOf(path)).toBe("2026-11-15");
  });

  test.each([
    [["2026-11-05"], "2026-11-05T00:00:00.000+08:00"],
    [["2026-11-05 10:30"], "2026-11-05T10:30:00.000+08:00"],
    [["2026-11-04T23:30:00Z"], "2026-11-05T07:30:00.000+08:00"],
    [["20261105"], "2026-11-05T00:00:00.000+08:00"],
    [["[[2026-11-05]]"], "2026-11-05T00:00:00.000+08:00"],
    [["soon", "2026-11-05"], "2026-11-05T00:00:00.000+08:00"],
    [["2026-11-05 25:99"], "2026-11-05T00:00:00.000+08:00"],
    [["2026-13-45 10:00", "9999-12-31 10:00"], "2026-11-15T20:00:00.000+08:00"],
    [[], "2026-11-15T20:00:00.000+08:00"],
  ])("is the date of its front matter, in the time zone: %j", (dates, iso) => {
    expect(toIsoInZone(shanghai, resolveNoteTime({ path: "a.md", dates, modifiedMs: copied }, shanghai))).toBe(iso);
  });

  test("is a time within the day of its name, if one is known", () => {
    const at = (path: string, ...dates: string[]): string =>
      toIsoInZone(shanghai, resolveNoteTime({ path, dates, modifiedMs: copied }, shanghai));
    expect(at("2026-11-15.md")).toBe("2026-11-15T20:00:00.000+08:00");
    expect(at("2026-11-14.md", "2026-11-14 09:00")).toBe("2026-11-14T09:00:00.000+08:00");
    expect(at("2026-11-14.md", "2026-11-13 09:00")).toBe("2026-11-14T00:00:00.000+08:00");
  });

  test.each(["Pacific/Kiritimati", "Pacific/Pago_Pago", "America/Sao_Paulo", "Europe/Amsterdam", "UTC"])(
    "has the date of the note in %s, regardless of clock changes on that day",
    (name) => {
      const zone = findZone(name);
      for (const day of ["2026-11-03", "2018-11-04", "1925-03-01"]) {
        const at = resolveNoteTime({ path: `${day}.md`, dates: [], modifiedMs: copied }, zone);
        const iso = toIsoInZone(zone, at);
        expect(iso.slice(0, 10)).toBe(day);
        expect(Math.abs(Date.parse(iso) - at)).toBeLessThan(1);
      }
    },
  );

  test("is found quickly, even in a long name", () => {
    const began = cpuTime();
    for (const part of ["2026", "2026-", "1/", "年", "20261103x"]) dateOf(part.repeat(10_000));
    expect(cpuTime() - began).toBeLessThan(1000);
  });
});

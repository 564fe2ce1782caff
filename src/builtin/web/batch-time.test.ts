import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { BatchTime } from "./batch-time.ts";
import { defaultPageLimits } from "./page.ts";

function expecting(hosts: readonly string[]): { clock: FakeClock; time: BatchTime } {
  const clock = new FakeClock();
  const time = new BatchTime(clock, defaultPageLimits);
  for (const host of hosts) time.expect(host);
  return { clock, time };
}

const pages = (count: number, host: (index: number) => string): string[] =>
  Array.from({ length: count }, (_unused, index) => host(index));

describe("the time of a page of a batch, with the usual limits", () => {
  test.each([
    ["one page", pages(1, () => "a"), 20_000],
    ["50 pages of 50 hosts", pages(50, (index) => `h${index}`), 19_200],
    ["50 pages of one host", pages(50, () => "h0"), 2400],
    ["500 pages of one host", pages(500, () => "h0"), 2000],
  ])("%s", (_what, hosts, ms) => {
    expect(expecting(hosts).time.pageMs(hosts[0] ?? "")).toBe(ms);
  });

  test("grows as other pages finish, and shrinks as time passes", () => {
    const { clock, time } = expecting(pages(50, () => "a"));
    for (let settled = 0; settled < 40; settled++) time.settle("a");
    expect(time.pageMs("a")).toBe(12_000);
    clock.advance(30_000);
    expect(time.pageMs("a")).toBe(6000);
    clock.advance(40_000);
    expect([time.restMs, time.pageMs("a")]).toEqual([0, 2000]);
  });

  test("gives a robots.txt more time than a page, since it decides about all pages of its host", () => {
    expect(expecting(pages(50, () => "a")).time.robotsMs).toBe(10_000);
    expect(expecting(pages(500, (index) => `h${index}`)).time.robotsMs).toBe(1920);
    expect(expecting(pages(5000, (index) => `h${index}`)).time.robotsMs).toBe(1000);
  });
});

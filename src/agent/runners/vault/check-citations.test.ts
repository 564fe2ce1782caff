import { describe, expect, test } from "vitest";
import { checkCitations } from "./check-citations.ts";

describe("citations", () => {
  test.each<readonly [string, string, readonly number[], readonly string[]]>([
    ["It turns [1]. It stops [2][3].", "It turns [1]. It stops [2][3].", [1, 2, 3], []],
    ["It turns [7].", "It turns.", [], ["[7]"]],
    ["It turns[0], stops[1].", "It turns, stops[1].", [1], ["[0]"]],
    ["Both [1, 9].", "Both [1].", [1], ["[1, 9]"]],
    ["All [1-3].", "All [1-3].", [1, 2, 3], []],
    ["All [2–5].", "All [2][3].", [2, 3], ["[2–5]"]],
    ["潮汐【2】。", "潮汐[2]。", [2], []],
    ["潮汐【8†来源】。", "潮汐。", [], ["【8†来源】"]],
    ["潮汐[1、2]。", "潮汐[1、2]。", [1, 2], []],
    ["Noted[^2].", "Noted[^2].", [2], []],
    [
      "In [2024] and [a](b) and [1](http://x) and [9](y).",
      "In [2024] and [a](b) and [1](http://x) and [9](y).",
      [],
      [],
    ],
    ["`a[9]` and\n```\nb[9]\n```\nthen [9]", "`a[9]` and\n```\nb[9]\n```\nthen", [], ["[9]"]],
    ["", "", [], []],
  ])("%j", (answer, ...[text, cited, removed]) => {
    expect(checkCitations(answer, 3)).toEqual({ text, cited, removed });
  });

  test("are checked in no time, however many there are", () => {
    const began = performance.now();
    checkCitations("[1-999]".repeat(20_000), 3);
    checkCitations(`[${"1,".repeat(50_000)}`, 3);
    checkCitations("[".repeat(100_000), 3);
    expect(performance.now() - began).toBeLessThan(1500);
  });
});

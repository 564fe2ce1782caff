import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exceedsJsonKeys, exceedsKeys, inputLimits } from "./input-limits.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

describe("[S17] keys are counted before a text is parsed", () => {
  test.each([
    ["[0,0,0,0,0,0,0]", 7, false],
    ["[0,0,0,0,0,0,0]", 6, true],
    ['{"a":1,"b":2,"c":3,"d":4}', 4, false],
    ['{"a":1,"b":2,"c":3,"d":4}', 3, true],
    ['{"text":",,,,[[[[{{{{"}', 1, false],
    [String.raw`{"text":"\",,,,","\\":",,,,"}`, 2, false],
    [String.raw`{"text":"\\",",":1,"b":"`, 2, true],
  ])("%s has more than %s: %s", (text, limit, expected) => {
    expect(exceedsJsonKeys(text, limit)).toBe(expected);
  });

  test("a short text is never counted, and a hostile one takes linear time", () => {
    expect(exceedsJsonKeys("[0,0]", 3)).toBe(false);
    const start = cpuTime();
    for (const piece of ['"', "\\", '\\"', '"\\', "[", '",']) exceedsJsonKeys(piece.repeat(1_000_000), 1e9 / 4);
    for (const piece of ['"', "\\", '\\"', '"\\']) exceedsJsonKeys(piece.repeat(500_000), 1000);
    expect(cpuTime() - start).toBeLessThan(3_000);
  });

  test("keys of objects count, items of lists do not", () => {
    expect(exceedsKeys({ a: 1, b: { c: 2 } }, 3)).toBe(false);
    expect(exceedsKeys({ a: 1, b: [{ c: 2 }] }, 2)).toBe(true);
    expect(
      exceedsKeys(
        Array.from({ length: 100 }, () => 0),
        2,
      ),
    ).toBe(false);
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    expect(exceedsKeys(circular, 1000)).toBe(false);
  });
});

test("[S17] the guide lists every limit with its number", () => {
  const guide = readFileSync(new URL("../../docs/guide/engine.md", import.meta.url), "utf8");
  const rows = [...guide.matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm)].map(([, name, value]) => [
    name,
    Number(value?.replaceAll(",", "")),
  ]);
  expect(Object.fromEntries(rows)).toEqual(inputLimits);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lineDiff } from "./line-diff.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

/** Applies the groups of a diff to the first text. */
function patched(before: string, diff: string): string {
  const lines = before.split("\n");
  const result: string[] = [];
  let at = 0;
  for (const line of diff === "" ? [] : diff.split("\n")) {
    const start = /^@@ -(\d+) \+(\d+) @@$/.exec(line);
    if (start !== null) {
      while (at < Number(start[1]) - 1) result.push(lines[at++] ?? "");
      if (result.length !== Number(start[2]) - 1) throw new Error(`a wrong number: ${line}`);
    } else if (line.startsWith("+")) result.push(line.slice(1));
    else {
      if (lines[at] !== line.slice(1)) throw new Error(`not there: ${line}`);
      if (line.startsWith(" ")) result.push(line.slice(1));
      at++;
    }
  }
  return [...result, ...lines.slice(at)].join("\n");
}

test("a diff converts the one text to the other", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "", "long line"), { maxLength: 30 })
    .map((all) => all.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { diff, truncated } = lineDiff(before, after);
      expect(truncated).toBe(false);
      expect(patched(before, diff)).toBe(after);
    }),
    { numRuns: 500 },
  );
});

test("a change deep in a long text has its own line numbers, and costs little", () => {
  const lines = Array.from({ length: 300_000 }, (_, at) => `line ${at + 1}`);
  const after = lines.with(199_999, "other").join("\n");
  const begun = cpuTime();
  const { diff, truncated } = lineDiff(lines.join("\n"), after);
  expect(cpuTime() - begun).toBeLessThan(1000);
  expect(truncated).toBe(false);
  expect(diff.split("\n")).toEqual([
    "@@ -199998 +199998 @@",
    " line 199998",
    " line 199999",
    "-line 200000",
    "+other",
    " line 200001",
    " line 200002",
  ]);
});

test("the first of changes that are far apart are shown, with a note that there are more", () => {
  const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at + 1}`);
  const { diff, truncated } = lineDiff(lines.join("\n"), lines.toSpliced(9000, 1).with(4, "five").join("\n"));
  expect(truncated).toBe(true);
  expect(diff).toBe("@@ -3 +3 @@\n line 3\n line 4\n-line 5\n+five\n line 6\n line 7");
});

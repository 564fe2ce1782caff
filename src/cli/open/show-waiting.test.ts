import { expect, test } from "vitest";
import { formatProgress } from "./show-waiting.ts";

test.each([
  [{ seen: 1250, indexed: 800, total: 5000 }, "█████░░░░░░░░░░░░░░░ 25 % (1,250 of 5,000)"],
  [{ progress: 3, total: 3, message: "last\nstep" }, "████████████████████ 100 % (3 of 3) last step"],
  [{ progress: 9, total: 3 }, "████████████████████ 100 % (9 of 3)"],
  [{ seen: 1250, indexed: 800 }, "seen 1,250, indexed 800"],
  [{ settled: 1, total: 0 }, "settled 1, total 0"],
  [{ message: "reading" }, "reading"],
  [{ a: [1] }, '{"a":[1]}'],
  [[1, 2], "[1,2]"],
  [7, "7"],
])("the progress %j is shown as %s", (value, line) => {
  expect(formatProgress(value)).toBe(line);
});

import { describe, expect, test } from "vitest";
import { formatProblem, formatProblems } from "./format-problem.ts";
import { displayWidth } from "./display-width.ts";
import type { Problem } from "./problem.ts";

const problem = (over: Partial<Problem> = {}): Problem => ({
  severity: "error",
  code: "unknown_key",
  message: 'unknown key "parms"',
  file: "tools/a.yaml",
  line: 2,
  column: 1,
  length: 5,
  ...over,
});

test("a problem shows its position, the surrounding lines and a hint", () => {
  expect(formatProblem(problem({ hint: 'did you mean "params"?' }), "name: a\nparms: 1\nend: 2\nmore: 3\n")).toBe(
    [
      'tools/a.yaml:2:1: error: unknown key "parms" [unknown_key]',
      "  1 │ name: a",
      "  2 │ parms: 1",
      '    │ ^^^^^ did you mean "params"?',
      "  3 │ end: 2",
    ].join("\n"),
  );
});

test("without the source only the hint is shown", () => {
  expect(formatProblem(problem({ hint: "try this" }))).toBe(
    'tools/a.yaml:2:1: error: unknown key "parms" [unknown_key]\n  try this',
  );
});

test("a position outside the source has no frame", () => {
  expect(formatProblem(problem({ line: 9 }), "a: 1")).not.toContain("│");
});

/** The start column of the carets and their number. */
function underline(over: Partial<Problem>, source: string): { start: number; length: number; line: string } {
  const lines = formatProblem(problem({ line: 1, ...over }), source).split("\n");
  const [shown = "", carets = ""] = [lines[1], lines[2]];
  const start = carets.indexOf("^");
  return { start: start - 6, length: carets.lastIndexOf("^") - start + 1, line: shown.slice(6) };
}

describe("the underline marks the problem", () => {
  test("full-width characters before it count twice", () => {
    expect(underline({ column: 5, length: 2 }, "名前: 値段")).toMatchObject({ start: 6, length: 4 });
  });

  test("tabs before it count up to the next tab stop", () => {
    expect(underline({ column: 4, length: 2 }, "a:\t*x")).toMatchObject({ start: 4, length: 2 });
    expect(underline({ column: 5, length: 2 }, "a:\t\t*x")).toMatchObject({ start: 8, length: 2 });
  });

  test("emoji and combining marks before it count by their width", () => {
    expect(underline({ column: 12, length: 1 }, "👩‍👩‍👧‍👦x: y")).toMatchObject({ start: 2 });
    expect(underline({ column: 3, length: 1 }, "e\u0301: y")).toMatchObject({ start: 1 });
  });

  test("a line of a thousand columns is cut on both sides", () => {
    const { start, length, line } = underline({ column: 501, length: 4 }, `${"ab".repeat(250)}HERE${"cd".repeat(250)}`);
    expect(line.slice(start, start + length)).toBe("HERE");
    expect(line.startsWith("…") && line.endsWith("…")).toBe(true);
    expect(displayWidth(line)).toBeLessThanOrEqual(100);
  });

  test("past the end of its line", () => {
    expect(underline({ column: 99, length: 9 }, "a: 1")).toMatchObject({ start: 4, length: 1 });
  });

  test("a mark longer than the window is cut", () => {
    const { line, length } = underline({ column: 1, length: 900 }, "x".repeat(900));
    expect(displayWidth(line)).toBeLessThanOrEqual(100);
    expect(length).toBeLessThanOrEqual(100);
  });
});

test("control and bidi characters of the source, the message and the file name are shown, not interpreted", () => {
  const text = formatProblem(
    problem({ line: 1, file: "a\u001b[2J.yaml", message: "bad \u202e\u0007", hint: "\u009b31m" }),
    "a: \u001b]0;x\u0007 \u202e\r\nb: \u0000",
  );
  // oxlint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
  expect(text).toContain("a: ␛]0;x␇ <U+202E>");
  expect(text).toContain("b: ␀");
});

test("colors appear only if enabled", () => {
  expect(formatProblem(problem(), "a\nparms")).not.toContain("\u001b");
  expect(formatProblem(problem(), "a\nparms", { color: true })).toContain("\u001b[31m^^^^^\u001b[39m");
});

test("several problems end in a count", () => {
  const text = formatProblems(
    [problem(), problem({ severity: "warning", file: "b.yaml" }), problem({ line: 1 })],
    (file) => (file === "b.yaml" ? undefined : "a\nparms: 1"),
  );
  expect(text.endsWith("\n\n2 errors, 1 warning in 2 files")).toBe(true);
  expect(formatProblems([], () => undefined)).toBe("");
});

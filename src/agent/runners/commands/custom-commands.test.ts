import { expect, test } from "vitest";
import { readOwnCommands } from "./own-commands.ts";

test.each([
  ["sum", "sum"],
  ["@sum", "sum"],
  ["＠sum", "sum"],
  ["总结", "总结"],
  ["Sum-up_2", "sum-up_2"],
])("a command written %j is called %s", (key, name) => {
  const { commands, faults } = readOwnCommands({ [key]: { tool: "calculator", params: { expression: "1" } } });
  expect(commands).toEqual([{ key, name, tool: "calculator", params: { expression: "1" } }]);
  expect(faults).toEqual([]);
});

// Not every letter is still one in lower case: İ becomes two.
test.each(["@@sum", "İx", "1x", "a b", "", "@", "x".repeat(42), "__proto__"])("%j is no name of a command", (key) => {
  const { commands, faults } = readOwnCommands(Object.fromEntries([[key, "calculator"]]));
  expect(commands).toEqual([]);
  expect(faults).toMatchObject([{ key, message: expect.stringContaining("cannot be used: its name is no word") }]);
});

test("its tool alone is enough where it takes nothing", () => {
  expect(readOwnCommands({ sum: "calculator" }).commands).toMatchObject([{ tool: "calculator", params: {} }]);
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
  expect(readOwnCommands({ sum: value })).toMatchObject({
    commands: [],
    faults: [{ key: "sum", message: `the command "sum" cannot be used: ${why}` }],
  });
});

test("of more than a hundred commands the first are used, and the others told", () => {
  const many = Object.fromEntries(Array.from({ length: 103 }, (_, index) => [`c${index}`, "calculator"]));
  const { commands, faults } = readOwnCommands(many);
  expect(commands).toHaveLength(100);
  expect(faults).toMatchObject([{ key: "c100", message: expect.stringContaining("3 more were left out") }]);
});

import { expect, test } from "vitest";
import { tellWrapped } from "./tell-wrapped.ts";
import type { Terminal } from "./terminal.ts";

function at(sideColumns: number | undefined) {
  const told: string[] = [];
  // Only what is used here.
  const terminal = {
    sideColumns,
    tell: (line: string) => told.push(line),
    tint: (_style: string, text: string) => text,
  };
  return { told, terminal: terminal as unknown as Terminal };
}

test("a long text goes on below its beginning, broken between words, however its lead is painted", () => {
  const { told, terminal } = at(30);
  tellWrapped("you are asked because the rule says so", terminal, { lead: "\x1b[33m?\x1b[0m " });
  expect(told).toEqual(["\x1b[33m?\x1b[0m you are asked because the", "  rule says so"]);
});

test("where nobody looks at a terminal, a line is a line", () => {
  const { told, terminal } = at(undefined);
  tellWrapped("word ".repeat(100), terminal);
  expect(told).toHaveLength(1);
});

test("what stands behind it is not broken, and below it where there is no room", () => {
  const behind = "\x1b[2m[not_available: no_model]\x1b[0m";
  const narrow = at(40);
  tellWrapped("the runner needs a model", narrow.terminal, { lead: "error: ", behind });
  expect(narrow.told).toEqual(["error: the runner needs a model", `       ${behind}`]);
  const wide = at(undefined);
  tellWrapped("the runner needs a model", wide.terminal, { lead: "error: ", behind });
  expect(wide.told).toEqual([`error: the runner needs a model ${behind}`]);
});

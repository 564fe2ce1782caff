import { expect, test } from "vitest";
import { logWrapped } from "./log-wrapped.ts";
import type { Terminal } from "./terminal.ts";

function at(sideColumns: number | undefined) {
  const reported: string[] = [];
  // Only the members used here.
  const terminal = {
    sideColumns,
    log: (line: string) => reported.push(line),
    tint: (_style: string, text: string) => text,
  };
  return { reported, terminal: terminal as unknown as Terminal };
}

test("a long text is wrapped between words and indented below its beginning, however its lead is painted", () => {
  const { reported, terminal } = at(30);
  logWrapped("you are asked because the rule says so", terminal, { lead: "\x1b[33m?\x1b[0m " });
  expect(reported).toEqual(["\x1b[33m?\x1b[0m you are asked because the", "  rule says so"]);
});

test("without a terminal, a line is not wrapped", () => {
  const { reported, terminal } = at(undefined);
  logWrapped("word ".repeat(100), terminal);
  expect(reported).toHaveLength(1);
});

test("the text behind it is not broken, and moves to the next line if there is no space", () => {
  const behind = "\x1b[2m[not_available: no_model]\x1b[0m";
  const narrow = at(40);
  logWrapped("the runner needs a model", narrow.terminal, { lead: "error: ", behind });
  expect(narrow.reported).toEqual(["error: the runner needs a model", `       ${behind}`]);
  const wide = at(undefined);
  logWrapped("the runner needs a model", wide.terminal, { lead: "error: ", behind });
  expect(wide.reported).toEqual([`error: the runner needs a model ${behind}`]);
});

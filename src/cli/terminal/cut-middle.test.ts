import { expect, test } from "vitest";
import { cutMiddle } from "./cut-middle.ts";

const gap = (left: string): string => `(${left.length})`;

test("a text that fits is unchanged", () => {
  expect(cutMiddle("one\ntwo", { columns: 10, rows: 2 }, gap)).toEqual(["one", "two"]);
  expect(cutMiddle("", { columns: 10, rows: 2 }, gap)).toEqual([""]);
});

test("a longer text keeps its beginning and end, in the available rows", () => {
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
  expect(cutMiddle(lines.join("\n"), { columns: 20, rows: 6 }, gap)).toEqual([
    "line 0",
    "line 1",
    "line 2",
    expect.stringMatching(/^\(\d+\)$/),
    "line 98",
    "line 99",
  ]);
});

test("one long line takes several rows, and wide characters two columns each", () => {
  expect(cutMiddle(`a${"b".repeat(98)}c`, { columns: 10, rows: 4 }, gap)).toEqual([
    "abbbbbbbbb",
    "bbbbbbbbbb",
    "(70)",
    "bbbbbbbbbc",
  ]);
  expect(cutMiddle("水".repeat(15), { columns: 10, rows: 3 }, gap)).toEqual(["水".repeat(15)]);
  expect(cutMiddle("水".repeat(16), { columns: 10, rows: 3 }, gap)).toEqual(["水水水水水", "(6)", "水水水水水"]);
});

test("an escape is not split", () => {
  const text = JSON.stringify({ content: `${"第 52 行\n".repeat(50)}\u0007\\\\ end` });
  for (let columns = 20; columns < 60; columns++) {
    const shown = cutMiddle(text, { columns, rows: 7 }, () => "GAP");
    expect(shown).toHaveLength(7);
    for (const row of shown) expect(row.replaceAll(/\\(?:[^u]|u[\da-f]{4})/g, "")).not.toMatch(/\\|^n第|^u?\d{4}/);
  }
});

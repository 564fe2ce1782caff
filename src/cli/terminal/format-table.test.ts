import { expect, test } from "vitest";
import { displayWidth } from "../../text/index.ts";
import { formatTable, toOneLine } from "./format-table.ts";

const columns = [{ title: "NAME" }, { title: "N", align: "right" }, { title: "ABOUT", long: "cut" }] as const;

test("columns are aligned in any script", () => {
  const rows = [
    ["echo", "1", "x"],
    ["查询天气", "22", "y"],
    ["e\u0301👩‍👩‍👧", "3", "z"],
  ];
  const lines = formatTable(rows, { columns });
  expect(lines[0]).toBe("NAME       N  ABOUT");
  expect(new Set(lines.map((line) => displayWidth(line.replace(/\S+$/, "")))).size).toBe(1);
});

test("a line does not exceed the requested width: the last column that may be cut is shortened", () => {
  const [, line = ""] = formatTable([["echo", "1", "很长的说明".repeat(20)]], { columns, width: 40 });
  expect(displayWidth(line)).toBeLessThanOrEqual(40);
  expect(line).toMatch(/…$/);
});

test("a column that wraps continues below itself", () => {
  const wrapping = [{ title: "" }, { title: "", long: "wrap" }] as const;
  const lines = formatTable([["a", "one two three four five six"]], { columns: wrapping, width: 24 });
  expect(lines).toEqual(["a  one two three four", "   five six"]);
});

test("hostile cells are harmless: one line each, without control sequences", () => {
  const lines = formatTable([["\u001b[2Ja\nb", "1", "\u202ex\r\u0007"]], { columns });
  expect(lines[1]).toBe("a b   1  x");
  expect(toOneLine("\u001b]0;t\u0007 a \t\n b ")).toBe("a b");
});

test("cells are painted after they are padded", () => {
  const painted = [{ title: "A", paint: (cell: string, row: number) => `<${row}${cell}>` }, { title: "B" }];
  expect(
    formatTable(
      [
        ["x", "y"],
        ["long", "z"],
      ],
      { columns: painted },
    ),
  ).toEqual(["A     B", "<0x   >  y", "<1long>  z"]);
});

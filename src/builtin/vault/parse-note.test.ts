import { expect, test } from "vitest";
import { parseNote } from "./parse-note.ts";

test("title, tags, headings and links of a note are read, code is not", () => {
  const text = [
    "---",
    "title: A plain title",
    "tags: [boat, sea/knots]",
    "created: 2026-01-05",
    "---",
    "# Rope",
    "See [[Knots#Bowline|the bowline]], [a page](https://example.org/a) and #todo, (#问题/绳子).",
    "Issue #12, a#b and C# are no tags. # no heading",
    "## Care ##",
    "```sh",
    "# not a heading #not-a-tag [[not a link]]",
    "```",
    "### 保养",
  ].join("\n");
  expect(parseNote("x/rope.md", text)).toEqual({
    title: "A plain title",
    dates: ["2026-01-05"],
    tags: ["boat", "sea/knots", "todo", "问题/绳子"],
    headings: [
      { text: "Rope", level: 1, line: 6 },
      { text: "Care", level: 2, line: 9 },
      { text: "保养", level: 3, line: 13 },
    ],
    links: ["Knots#Bowline", "https://example.org/a"],
  });
});

test("without a title the first heading is one, else the name of the file", () => {
  expect(parseNote("a/b.md", "text\n# First\n# Second").title).toBe("First");
  expect(parseNote("a/My note.v2.md", "text").title).toBe("My note.v2");
});

test.each([
  ["tags:\n  - a\n  - b c", ["a", "b c"]],
  ["tags: a, b", ["a", "b"]],
  ["tags: a b", ["a", "b"]],
  ['tags: ["a: b", c]', ["a: b", "c"]],
  ["tag: only", ["only"]],
  ["tags: [A, a, '#a']", ["A"]],
  ["tags: {a: 1}", []],
  ["tags: [a", []],
  ["tags: &x [a]\nother: *x", ["a"]],
  ["{{template}}", []],
  ["", []],
])("front matter %j has the tags %j", (front, tags) => {
  expect(parseNote("a.md", `---\n${front}\n---\ntext`).tags).toEqual(tags);
});

test.each([
  ["[".repeat(1_000_000)],
  ["[[".repeat(500_000)],
  ["](".repeat(500_000)],
  ["#".repeat(1_000_000)],
  ["# ".repeat(500_000)],
  ["a#b ".repeat(250_000)],
  ["`".repeat(1_000_000)],
  [`---\n${"a: [".repeat(8000)}\n---\n`],
  [`---\n${"- ".repeat(15_000)}\n---\n`],
  ["---\n".repeat(200_000)],
  ["\n".repeat(1_000_000)],
])("hostile note %# is read in no time", (text) => {
  const begin = process.cpuUsage();
  parseNote("a.md", text);
  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(1500);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findFrontMatter, hasErrors } from "../../text/index.ts";
import { toolNameProblem } from "../../tool/index.ts";
import { type ParsedSkill, parseSkill } from "./parse-skill.ts";
import type { Strictness } from "./read-fields.ts";

function parse(yaml: string, strictness: Strictness = "loader"): ParsedSkill {
  const text = `---\n${yaml}\n---\n`;
  const found = findFrontMatter(text);
  if (found.kind !== "found") throw new Error("no front matter");
  return parseSkill({ text, yaml: found.yaml, bom: false, file: "f", entry: "SKILL.md", folder: "pdf" }, strictness);
}

/** Pieces of which real and broken front matters are made. */
const piece = fc.oneof(
  fc.constantFrom(
    ..."name: pdf|description: Reads.|description: when: asked|allowed-tools: Read Bash(git:*)|metadata:|  version: 1.0".split(
      "|",
    ),
    ..."allowed-tools: [Read, 1]|allowed-tools: a(b(c)|name: [|name: {}|name: 5|license: &a x|compatibility: *a".split(
      "|",
    ),
    ..."? complex|- item|\tname: x|__proto__: 1|metadata: {constructor: x}|description: |-|# comment|%YAML 1.1|...".split(
      "|",
    ),
  ),
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }).map((text) => `description: ${text}`),
  fc.string({ unit: "grapheme" }).map((text) => `name: ${text}`),
);

test("any front matter is read or reported, and every loaded skill can be called", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.constantFrom("author", "loader"), (pieces, strictness) => {
      const yaml = pieces.join("\n").replaceAll(/^---/gm, "");
      const { fields, problems } = parse(yaml, strictness);
      const lines = yaml.split("\n").length + 3;
      for (const { line, column } of problems) {
        expect(line >= 1 && line <= lines && column >= 1).toBe(true);
      }
      expect(strictness === "author" || hasErrors(problems) === (fields === undefined)).toBe(true);
      if (fields === undefined) return;
      expect(toolNameProblem(`skills/${fields.name}`)).toBeUndefined();
      expect(fields.description.length).toBeGreaterThan(0);
      expect(fields.description.length).toBeLessThanOrEqual(1_024 * 2);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["description: Use it when: asked", "Use it when: asked"],
  ["description: It's for: you", "It's for: you"],
  ["description: [Beta] reads files", "[Beta] reads files"],
  ["description: *Reads* files", "*Reads* files"],
  ["description: @mentions of people", "@mentions of people"],
  ["description: 100% done: yes # not a comment", "100% done: yes # not a comment"],
])("%s is read as intended, with a warning at its position", (line, description) => {
  const { fields, problems } = parse(`name: pdf\n${line}`);
  expect(fields?.description).toBe(description);
  expect(problems).toMatchObject([{ severity: "warning", line: 3, hint: "put quotes around the value" }]);
  expect(hasErrors(parse(`name: pdf\n${line}`, "author").problems)).toBe(true);
});

test("valid YAML is read as YAML", () => {
  expect(parse('name: pdf\ndescription: "a: b"').fields?.description).toBe("a: b");
  expect(parse("name: pdf\ndescription: reads # a comment").fields?.description).toBe("reads");
  expect(parse("name: pdf\ndescription: |\n  one\n  two: three").fields?.description).toBe("one\ntwo: three");
});

test("anchors, duplicate keys and keys that reach into prototypes are refused", () => {
  for (const yaml of [
    "name: pdf\ndescription: a\nmetadata: { one: &a x, two: *a }",
    "name: pdf\ndescription: a\ndescription: b",
    "name: pdf\ndescription: a\n__proto__: { hidden: true }",
  ]) {
    const { fields, problems } = parse(yaml);
    expect(fields).toBeUndefined();
    expect(hasErrors(problems)).toBe(true);
  }
});

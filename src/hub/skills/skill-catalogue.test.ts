import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutText } from "../../text/index.ts";
import { type CatalogueEntry, skillCatalogue } from "./skill-catalogue.ts";

const entry = (name: string, description: string, hidden = false): CatalogueEntry => ({ name, description, hidden });

describe("[C03] the catalogue", () => {
  test("has names and descriptions, a line each, by name; hidden skills are not in it", () => {
    const skills = [entry("b", "Does\n  b."), entry("a", "Does a."), entry("c", "Does c.", true)];
    expect(skillCatalogue(skills)).toBe("- a: Does a.\n- b: Does b.");
    expect(skillCatalogue(skills.toReversed())).toBe(skillCatalogue(skills));
    expect(skillCatalogue([])).toBe("");
  });

  test("has 4,000 characters by default", () => {
    const skills = Array.from({ length: 10 }, (_item, at) => entry(`s${at}`, "A sentence of words. ".repeat(48)));
    expect(skillCatalogue(skills).length).toBeLessThanOrEqual(4_000);
    expect(skillCatalogue(skills).length).toBeGreaterThan(3_500);
  });

  test("cuts the longest descriptions first, at the end of a sentence", () => {
    const skills = [entry("long", "One sentence here. ".repeat(40)), entry("short", "It is short. It stays whole.")];
    const text = skillCatalogue(skills, 300);
    expect(text.length).toBeLessThanOrEqual(300);
    expect(text).toMatch(
      /^- long: (?:One sentence here\. )+One sentence here\.\n- short: It is short\. It stays whole\.$/,
    );
    const chinese = skillCatalogue([entry("文档", "处理各种文档的技能，可以读取和填写。".repeat(30))], 200);
    expect(chinese).toMatch(/。$/);
  });

  test("lists only names if descriptions do not fit, and then the number of the others", () => {
    const skills = Array.from({ length: 100 }, (_item, at) =>
      entry(`skill-${at + 100}`, "Some description. ".repeat(9)),
    );
    const names = skillCatalogue(skills, 1_200);
    expect(names).toBe(skills.map(({ name }) => name).join(", "));
    const some = skillCatalogue(skills, 400);
    expect(some.length).toBeLessThanOrEqual(400);
    const [, shown = "", more = ""] =
      /^(.*), and (\d+) more: call skill without a name, or find_tools$/.exec(some) ?? [];
    expect(shown.split(", ").length + Number(more)).toBe(100);
    expect(skillCatalogue(skills, 10)).toBe("");
  });

  test("never exceeds its budget, and never splits a character", () => {
    const entries = fc.array(
      fc.record({
        name: fc.stringMatching(/^[a-z0-9-]{1,30}$/),
        description: fc.string({ unit: "grapheme" }),
        hidden: fc.constant(false),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(entries, fc.integer({ min: 0, max: 3_000 }), (skills, budget) => {
        const text = skillCatalogue(skills, budget);
        expect(text.length).toBeLessThanOrEqual(budget);
        expect(text.isWellFormed()).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

test.each([
  ["One. Two three four.", 12, "One. Two…"],
  ["One two. Three four.", 12, "One two."],
  ["一句话。另一句话。", 6, "一句话。"],
  ["😀😀😀😀", 4, "😀…"],
  ["word", 4, "word"],
  ["wordy", 4, "wor…"],
  ["x", 0, ""],
])("%j in %i characters is %j", (text, maxLength, expected) => {
  expect(cutText(text, maxLength).text).toBe(expected);
});

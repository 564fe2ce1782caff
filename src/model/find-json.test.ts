import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findJson } from "./find-json.ts";

const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
/** Prose without brackets. */
const prose = fc.string().map((text) => text.replaceAll(/[{}]/g, ""));

test("any JSON object is found unchanged, regardless of the surrounding text", () => {
  fc.assert(
    fc.property(object, prose, prose, (value, before, after) => {
      const json = JSON.stringify(value, undefined, 2);
      const { objects } = findJson(`${before}\n\`\`\`json\n${json}\n\`\`\`\n${after}`);
      expect(objects.map((text) => JSON.parse(text) as unknown)).toEqual([JSON.parse(json)]);
    }),
  );
});

test("only valid JSON objects are found, regardless of what a model responds", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', ",", ":", "\\", "a", "1", "\n") }),
      (text) => {
        for (const found of findJson(text).objects) expect(typeof JSON.parse(found)).toBe("object");
      },
    ),
  );
});

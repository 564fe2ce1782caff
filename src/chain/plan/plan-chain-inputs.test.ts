import { expect, test } from "vitest";
import { ChainReport } from "./chain-report.ts";
import { readInputs } from "./plan-chain.ts";

function read(inputs: Record<string, unknown>): { json: unknown; problems: string[] } {
  const report = ChainReport.ofSpec("a");
  const json = readInputs(inputs, report);
  return { json, problems: report.problems.map(({ code }) => code) };
}

test.each<[written: unknown, json: unknown, required: boolean]>([
  ["string", { type: "string" }, true],
  ["string?", { type: "string" }, false],
  ["string[]", { type: "array", items: { type: "string" } }, true],
  ["string[]?", { type: "array", items: { type: "string" } }, false],
  ["integer[][]", { type: "array", items: { type: "array", items: { type: "integer" } } }, true],
  ["number=3", { type: "number", default: 3 }, false],
  ["number = -2.5", { type: "number", default: -2.5 }, false],
  ['string="memory"', { type: "string", default: "memory" }, false],
  ["string=memory", { type: "string", default: "memory" }, false],
  ["string='memory'", { type: "string", default: "memory" }, false],
  ["string=", { type: "string", default: "" }, false],
  ["string=3", { type: "string", default: "3" }, false],
  ['string="a=b"', { type: "string", default: "a=b" }, false],
  ["boolean=false", { type: "boolean", default: false }, false],
  ['string[]=["a"]', { type: "array", items: { type: "string" }, default: ["a"] }, false],
  ["object", { type: "object" }, true],
  ["any", {}, true],
  ["any?", {}, false],
  ["any=null", { default: null }, false],
  [
    { type: "string", enum: ["a", "b"], description: "which" },
    { type: "string", enum: ["a", "b"], description: "which" },
    true,
  ],
  [{ type: "string", default: "a" }, { type: "string", default: "a" }, false],
  [{ type: "string", required: false }, { type: "string" }, false],
  [{ type: "string", optional: true }, { type: "string" }, false],
  [{ type: "string[]", minItems: 1 }, { type: "array", items: { type: "string" }, minItems: 1 }, true],
  [
    { type: "object", properties: { a: "string" }, required: ["a"] },
    { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    true,
  ],
  [{ anyOf: [{ type: "string" }, { type: "integer" }] }, { anyOf: [{ type: "string" }, { type: "integer" }] }, true],
])("%j is a valid input [A01]", (input, json, required) => {
  expect(read({ x: input })).toEqual({
    json: { type: "object", properties: { x: json }, ...(required && { required: ["x"] }) },
    problems: [],
  });
});

test.each([
  ["strng", "unknown_type"],
  ["", "unknown_type"],
  ["[]", "unknown_type"],
  ["number=x", "bad_default"],
  ["integer=1.5", "bad_default"],
  ["string[]=[1]", "bad_default"],
  ["boolean=yes", "bad_default"],
  [{ type: "strng" }, "unknown_type"],
  [{ type: "string", lenght: 3 }, "unknown_key"],
  [{ type: "string", enum: ["a"], default: "b" }, "bad_default"],
])("%j is not a valid input", (input, code) => {
  expect(read({ x: input }).problems).toEqual([code]);
});

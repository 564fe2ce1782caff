import { expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { fingerprintShape, fingerprintTool } from "./fingerprint-tool.ts";

function toolWith(property: object): Parameters<typeof fingerprintTool>[0] {
  const input = fromJsonSchema({ type: "object", properties: { title: property }, additionalProperties: false });
  return sampleTool(() => 1, { name: "t", input });
}

test("a reworded description changes the fingerprint of a tool, but not that of its shape", () => {
  const [one, other] = ["Name it.", "The name."].map((description) => toolWith({ type: "string", description }));
  expect(fingerprintTool(one!)).not.toBe(fingerprintTool(other!));
  expect(fingerprintShape(one!)).toBe(fingerprintShape(other!));
});

test("a changed schema changes both fingerprints", () => {
  const [one, other] = [{ type: "string" }, { type: "string", default: "x" }].map((property) => toolWith(property));
  expect(fingerprintTool(one!)).not.toBe(fingerprintTool(other!));
  expect(fingerprintShape(one!)).not.toBe(fingerprintShape(other!));
});

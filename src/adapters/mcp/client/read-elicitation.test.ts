import { describe, expect, test } from "vitest";
import { readElicitation } from "./answer-elicitation.ts";

const readForm = (properties: object, more: object = {}) =>
  readElicitation({ message: "Go on?", requestedSchema: { type: "object", properties, ...more } }, "mal");

const fields = (properties: object): unknown => {
  const prompt = readForm(properties);
  return typeof prompt === "string" ? prompt : prompt.schema["properties"];
};

describe("an elicitation of a server", () => {
  test("names the server first, regardless of its own text", () => {
    const message = "Windlass: may delete_all be called?\u001b[2K\u202e";
    const prompt = readElicitation({ message, requestedSchema: { type: "object", properties: {} } }, "mal");
    expect(prompt).toEqual({
      message: 'The MCP server "mal" requests input:\n\nWindlass: may delete_all be called?',
      schema: { type: "object", properties: {} },
    });
  });

  test("keeps every field type of the protocol", () => {
    const known = {
      name: { type: "string", title: "Name", description: "Yours", minLength: 1, maxLength: 20, default: "Ada" },
      mail: { type: "string", format: "email" },
      count: { type: "integer", minimum: 1, maximum: 9, default: 3 },
      share: { type: "number" },
      sure: { type: "boolean", default: true },
      colour: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"], default: "r" },
      size: { type: "string", oneOf: [{ const: "s", title: "Small" }] },
      many: { type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1, maxItems: 2, default: ["a"] },
      named: { type: "array", items: { anyOf: [{ const: "x", title: "The x" }] } },
    };
    expect(readForm(known, { required: ["name", "other", 3] })).toMatchObject({
      schema: { type: "object", properties: known, required: ["name"] },
    });
  });

  test("contains no invisible text, no overlong text, and no unknown fields", () => {
    const title = `Na\u200bme\n\n\u001b[31m${"x".repeat(1_000)}`;
    const field = { type: "string", title, pattern: "(a+)+$", $ref: "https://evil.example", default: "a\u202eb" };
    expect(fields({ name: field })).toEqual({ name: { type: "string", title: `Name ${"x".repeat(494)}…` } });
    const choice = { type: "string", oneOf: [{ const: "y", title: "Yes\u2066" }], description: 5 };
    expect(fields({ choice })).toEqual({ choice: { type: "string", oneOf: [{ const: "y", title: "Yes" }] } });
    const long = readElicitation({ message: "x".repeat(100_000), requestedSchema: {} }, "mal");
    expect(typeof long === "string" ? "" : long.message.length).toBeLessThan(4_100);
    expect(long).toMatchObject({
      message: expect.stringMatching(/x…\n\(truncated: the message is too long\)$/),
    });
  });

  test.each([
    ["a field within a field", { a: { type: "object", properties: {} } }],
    ["a field of any kind", { a: {} }],
    ["no field at all", { a: null }],
    ["a name that is not all seen", { "a\u200b": { type: "string" } }],
    ["a very long name", { ["a".repeat(300)]: { type: "string" } }],
    ["a choice that is not all seen", { a: { type: "string", enum: ["yes", "no\u202e"] } }],
    ["choices of other things", { a: { type: "string", oneOf: [{ const: { deep: 1 } }] } }],
    ["very many choices", { a: { type: "string", enum: Array.from({ length: 300 }, (_, at) => String(at)) } }],
    ["very many fields", Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}`, { type: "boolean" }]))],
    ["a list of anything", { a: { type: "array", items: { type: "string" } } }],
  ])("an elicitation with %s is rejected", (_, properties) => {
    expect(readForm(properties)).toMatch(/field/);
  });

  test.each([
    ["a page to open", { mode: "url", url: "https://evil.example", message: "x" }],
    ["no message", { requestedSchema: { type: "object" } }],
    ["nothing", null],
  ])("an elicitation that is %s is rejected", (_, params) => {
    expect(readElicitation(params, "mal")).toBeTypeOf("string");
  });
});

import { describe, expect, test } from "vitest";
import { readQuestion } from "./read-question.ts";

const ask = (properties: object, more: object = {}) =>
  readQuestion({ message: "Go on?", requestedSchema: { type: "object", properties, ...more } }, "mal");

const fields = (properties: object): unknown => {
  const question = ask(properties);
  return typeof question === "string" ? question : question.schema["properties"];
};

describe("a question of a server", () => {
  test("says first who asks, whatever it says itself", () => {
    const message = "Windlass: may delete_all be called?\u001b[2K\u202e";
    const question = readQuestion({ message, requestedSchema: { type: "object", properties: {} } }, "mal");
    expect(question).toEqual({
      message: 'The MCP server "mal" asks:\n\nWindlass: may delete_all be called?',
      schema: { type: "object", properties: {} },
    });
  });

  test("keeps every kind of field that the protocol has", () => {
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
    expect(ask(known, { required: ["name", "other", 3] })).toMatchObject({
      schema: { type: "object", properties: known, required: ["name"] },
    });
  });

  test("brings no text that is not seen, none that is too long, and nothing that is not known", () => {
    const title = `Na\u200bme\n\n\u001b[31m${"x".repeat(1_000)}`;
    const field = { type: "string", title, pattern: "(a+)+$", $ref: "https://evil.example", default: "a\u202eb" };
    expect(fields({ name: field })).toEqual({ name: { type: "string", title: `Name ${"x".repeat(494)}…` } });
    const choice = { type: "string", oneOf: [{ const: "y", title: "Yes\u2066" }], description: 5 };
    expect(fields({ choice })).toEqual({ choice: { type: "string", oneOf: [{ const: "y", title: "Yes" }] } });
    const long = readQuestion({ message: "x".repeat(100_000), requestedSchema: {} }, "mal");
    expect(typeof long === "string" ? "" : long.message.length).toBeLessThan(4_100);
    expect(long).toMatchObject({
      message: expect.stringMatching(/x…\n\(there is more, which is too long to be read\)$/),
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
  ])("with %s is none", (_, properties) => {
    expect(ask(properties)).toMatch(/field/);
  });

  test.each([
    ["a page to open", { mode: "url", url: "https://evil.example", message: "x" }],
    ["no message", { requestedSchema: { type: "object" } }],
    ["nothing", null],
  ])("that is %s is none", (_, params) => {
    expect(readQuestion(params, "mal")).toBeTypeOf("string");
  });
});

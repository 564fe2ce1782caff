/** Tools that elicit input from the user behind their caller. */
import { defineTool, fromJsonSchema } from "../../../../src/index.ts";

const text = { type: "string" } as const;

export const elicitation = defineTool({
  name: "test_elicitation",
  description: "Asks for a name and an address.",
  effect: "read",
  timeoutMs: 60_000,
  input: fromJsonSchema<{ message: string }>({
    type: "object",
    properties: { message: { type: "string", description: "What to ask." } },
    required: ["message"],
  }),
  run: async ({ message }, { elicit }) => {
    const answer = await elicit({
      message,
      schema: {
        type: "object",
        properties: {
          username: { ...text, description: "User's response" },
          email: { ...text, description: "User's email address" },
        },
        required: ["username", "email"],
      },
    });
    return `User response: ${JSON.stringify(answer)}`;
  },
});

export const defaults = defineTool({
  name: "test_elicitation_sep1034_defaults",
  description: "Asks with a default for every kind of value.",
  effect: "read",
  timeoutMs: 60_000,
  run: async (_args, { elicit }) => {
    const answer = await elicit({
      message: "Please check these",
      schema: {
        type: "object",
        properties: {
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        },
      },
    });
    return `Elicitation completed: ${JSON.stringify(answer)}`;
  },
});

const choices = ["option1", "option2", "option3"];
const titled = (what: string) =>
  ["First", "Second", "Third"].map((title, index) => ({ const: `value${index + 1}`, title: `${title} ${what}` }));

export const enums = defineTool({
  name: "test_elicitation_sep1330_enums",
  description: "Asks for choices of every form.",
  effect: "read",
  timeoutMs: 60_000,
  run: async (_args, { elicit }) => {
    const answer = await elicit({
      message: "Please choose",
      schema: {
        type: "object",
        properties: {
          untitledSingle: { type: "string", enum: choices },
          titledSingle: { type: "string", oneOf: titled("Option") },
          legacyEnum: {
            type: "string",
            enum: ["opt1", "opt2", "opt3"],
            enumNames: ["Option One", "Option Two", "Option Three"],
          },
          untitledMulti: { type: "array", items: { type: "string", enum: choices } },
          titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
        },
      },
    });
    return `Elicitation completed: ${JSON.stringify(answer)}`;
  },
});

export const streaming = defineTool({
  name: "test_streaming_elicitation",
  description: "Tells how far it is, then asks.",
  effect: "read",
  timeoutMs: 60_000,
  run: async (_args, { elicit, progress }) => {
    progress("about to ask");
    const answer = await elicit({
      message: "Go on?",
      schema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
    });
    return JSON.stringify(answer);
  },
});

/** Tools that give every kind of content. */
import { type Attachment, defineTool, fail, fromJsonSchema, ok } from "../../../../src/index.ts";

const red = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const image: Attachment = { kind: "image", mimeType: "image/png", data: Buffer.from(red, "base64") };

/** A WAV file without samples. */
const silence = Buffer.from("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=", "base64");

const file = (mimeType: string, text: string): Attachment => ({ kind: "file", mimeType, data: Buffer.from(text) });

export const simpleText = defineTool({
  name: "test_simple_text",
  description: "Gives a text.",
  effect: "pure",
  run: () => "This is a simple text response for testing.",
});

export const imageContent = defineTool({
  name: "test_image_content",
  description: "Gives an image.",
  effect: "pure",
  run: () => ok(null, { attachments: [image] }),
});

export const audioContent = defineTool({
  name: "test_audio_content",
  description: "Gives a sound.",
  effect: "pure",
  run: () => ok(null, { attachments: [{ kind: "audio", mimeType: "audio/wav", data: silence }] }),
});

export const embeddedResource = defineTool({
  name: "test_embedded_resource",
  description: "Gives a file.",
  effect: "pure",
  run: () => ok(null, { attachments: [file("text/plain", "This is an embedded resource content.")] }),
});

export const mixedContent = defineTool({
  name: "test_multiple_content_types",
  description: "Gives a text, an image and a file.",
  effect: "pure",
  run: () =>
    ok("Multiple content types test:", {
      attachments: [image, file("application/json", JSON.stringify({ test: "data", value: 123 }))],
    }),
});

export const errorHandling = defineTool({
  name: "test_error_handling",
  description: "Always fails.",
  effect: "pure",
  run: () => fail("This tool intentionally returns an error for testing", { retry: "never" }),
});

export const jsonSchema = defineTool({
  name: "json_schema_2020_12_tool",
  description: "Tool with JSON Schema 2020-12 features",
  effect: "pure",
  input: fromJsonSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  }),
  run: (args) => args,
});

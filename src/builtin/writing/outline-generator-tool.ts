import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { deadlineMs } from "./deadline.ts";
import type { WritingServices } from "./writing-services.ts";

/** What `outline_generator` takes. */
export interface OutlineInput {
  readonly topic: string;
  readonly style?: string;
  readonly audience?: string;
  readonly sections?: number;
  readonly language?: string;
}

/** What `outline_generator` gives. */
export interface Outline {
  readonly title: string;
  readonly sections: readonly { readonly heading: string; readonly points: readonly string[] }[];
  /** As it was asked for, so that whoever writes the text knows it. */
  readonly topic?: string;
  readonly style?: string;
  readonly audience?: string;
}

const usualMs = 120_000;

const inputSchema: JsonSchema = {
  type: "object",
  properties: {
    topic: { type: "string", minLength: 1, maxLength: 5_000, description: "What the text is about." },
    style: {
      type: "string",
      maxLength: 200,
      description: "The kind of text and its tone, such as essay or report.",
    },
    audience: { type: "string", maxLength: 200, description: "Who reads it." },
    sections: { type: "integer", minimum: 1, maximum: 40, description: "About how many sections it has." },
    language: {
      type: "string",
      maxLength: 60,
      description: "The language to write in; that of the topic by default.",
    },
  },
  required: ["topic"],
  additionalProperties: false,
  examples: [{ topic: "Why tide mills disappeared", style: "essay" }],
};

const outputSchema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", minLength: 1 },
    sections: {
      type: "array",
      minItems: 1,
      maxItems: 60,
      items: {
        type: "object",
        properties: {
          heading: { type: "string", minLength: 1 },
          points: { type: "array", items: { type: "string" }, description: "What the section says, point by point." },
        },
        required: ["heading", "points"],
      },
    },
    topic: { type: "string" },
    style: { type: "string" },
    audience: { type: "string" },
  },
  required: ["title", "sections"],
};

/** `outline_generator`: the plan of a text. */
export function outlineGeneratorTool(services: WritingServices): Tool<OutlineInput, OutlineInput, Outline> {
  const timeoutMs = deadlineMs(services, usualMs);
  const output = fromJsonSchema<Outline, Outline>(outputSchema);
  return defineTool({
    name: "outline_generator",
    description:
      "Plans a text: { title, sections: [{ heading, points }] }, with the topic and style it was asked for. Use it before " +
      "content_writer, which takes the outline as it is. Needs a configured model.",
    displayName: "Outline generator",
    category: "ai",
    tags: ["writing"],
    capabilities: ["outline", "大纲"],
    effect: "read",
    timeoutMs,
    input: fromJsonSchema<OutlineInput, OutlineInput>(inputSchema),
    output,
    run: async ({ topic, style, audience, sections, language }, context) => {
      const { askForObject } = await import("./ask-writer.ts");
      const values = { topic, style, audience, sections, language };
      const outline = await askForObject(
        { tool: "outline_generator", values, needs: ["topic"], schema: output, timeoutMs },
        services,
        context,
      );
      return {
        ...outline,
        topic,
        ...(style !== undefined && { style }),
        ...(audience !== undefined && { audience }),
      };
    },
  });
}

import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { deadlineMs } from "./deadline.ts";
import type { WritingServices } from "./writing-services.ts";

/** Input of `outline_generator`. */
export interface OutlineInput {
  readonly topic: string;
  readonly style?: string;
  readonly audience?: string;
  readonly sections?: number;
  readonly language?: string;
}

/** Output of `outline_generator`. */
export interface Outline {
  readonly title: string;
  readonly sections: readonly { readonly heading: string; readonly points: readonly string[] }[];
  /** As requested, so that the tool that writes the text knows it. */
  readonly topic?: string;
  readonly style?: string;
  readonly audience?: string;
}

const defaultTimeoutMs = 120_000;

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
    sections: { type: "integer", minimum: 1, maximum: 40, description: "Approximate number of sections." },
    language: {
      type: "string",
      maxLength: 60,
      description: "The language to write in. Default: that of the topic.",
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

/** The tool `outline_generator`: the plan of a text. */
export function outlineGeneratorTool(services: WritingServices): Tool<OutlineInput, OutlineInput, Outline> {
  const timeoutMs = deadlineMs(services, defaultTimeoutMs);
  const output = fromJsonSchema<Outline, Outline>(outputSchema);
  return defineTool({
    name: "outline_generator",
    description:
      "Plans a text: { title, sections: [{ heading, points }] }, with the requested topic and style. Use it before " +
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
      const { requestWriterObject } = await import("./request-writer.ts");
      const values = { topic, style, audience, sections, language };
      const outline = await requestWriterObject(
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

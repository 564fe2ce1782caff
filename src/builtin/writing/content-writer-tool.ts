import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { deadlineMs } from "./deadline.ts";
import { type WrittenText, toWrittenText, writtenTextSchema } from "./written-text.ts";
import type { WritingServices } from "./writing-services.ts";

/** Input of `content_writer`. */
export interface ContentWriterInput {
  readonly outline: unknown;
  readonly research?: unknown;
  readonly style?: string;
  readonly length?: number;
  readonly language?: string;
}

const defaultTimeoutMs = 300_000;

/** The tool `content_writer`: a text for an outline. */
export function contentWriterTool(
  services: WritingServices,
): Tool<ContentWriterInput, ContentWriterInput, WrittenText> {
  const timeoutMs = deadlineMs(services, defaultTimeoutMs);
  return defineTool({
    name: "content_writer",
    description:
      "Writes a text in Markdown along an outline, from research if it is given: { title, content, words }. Use it after " +
      "outline_generator. Needs a configured model.",
    displayName: "Content writer",
    category: "ai",
    tags: ["writing"],
    capabilities: ["write", "写作"],
    effect: "read",
    timeoutMs,
    input: fromJsonSchema<ContentWriterInput, ContentWriterInput>({
      type: "object",
      properties: {
        outline: { description: "The plan of the text: the output of outline_generator, or a text." },
        research: { description: "Material for the text: a summary, pages, or the output of a research chain." },
        style: {
          type: "string",
          maxLength: 200,
          description: "The kind of text and its tone, if the outline does not name them.",
        },
        length: { type: "integer", minimum: 20, maximum: 20_000, description: "About how many words it has." },
        language: {
          type: "string",
          maxLength: 60,
          description: "The language to write in. Default: that of the outline.",
        },
      },
      required: ["outline"],
      additionalProperties: false,
      examples: [
        {
          outline: "Tide mills: how they worked, why they disappeared",
          research: "Steam was cheaper after 1850.",
          length: 150,
        },
      ],
    }),
    output: fromJsonSchema<WrittenText, WrittenText>(writtenTextSchema),
    run: async ({ outline, research, style, length, language }, context) => {
      const { requestWriterText } = await import("./request-writer.ts");
      const values = { outline, research, style, length, language };
      const { text } = await requestWriterText(
        { tool: "content_writer", values, needs: ["outline"], timeoutMs },
        services,
        context,
      );
      return toWrittenText(text, outline);
    },
  });
}

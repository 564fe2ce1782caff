import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { deadlineMs } from "./deadline.ts";
import { type WrittenText, toWrittenText, writtenTextSchema } from "./written-text.ts";
import type { WritingServices } from "./writing-services.ts";

/** What `content_writer` takes. */
export interface ContentWriterInput {
  readonly outline: unknown;
  readonly research?: unknown;
  readonly style?: string;
  readonly length?: number;
  readonly language?: string;
}

const usualMs = 300_000;

/** `content_writer`: a text for an outline. */
export function contentWriterTool(
  services: WritingServices,
): Tool<ContentWriterInput, ContentWriterInput, WrittenText> {
  const timeoutMs = deadlineMs(services, usualMs);
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
        research: { description: "What the text may rely on: a summary, pages, or the output of a research chain." },
        style: {
          type: "string",
          maxLength: 200,
          description: "The kind of text and its tone, where the outline says none.",
        },
        length: { type: "integer", minimum: 20, maximum: 20_000, description: "About how many words it has." },
        language: {
          type: "string",
          maxLength: 60,
          description: "The language to write in; that of the outline by default.",
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
      const { askForText } = await import("./ask-writer.ts");
      const values = { outline, research, style, length, language };
      const { text } = await askForText(
        { tool: "content_writer", values, needs: ["outline"], timeoutMs },
        services,
        context,
      );
      return toWrittenText(text, outline);
    },
  });
}

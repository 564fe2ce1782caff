import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { deadlineMs } from "./deadline.ts";
import { type WrittenText, toWrittenText, writtenTextSchema } from "./written-text.ts";
import type { WritingServices } from "./writing-services.ts";

/** Input of `content_reviser`. */
export interface ContentReviserInput {
  readonly content: unknown;
  readonly feedback: unknown;
}

const defaultTimeoutMs = 300_000;

/** The tool `content_reviser`: a text after a review. */
export function contentReviserTool(
  services: WritingServices,
): Tool<ContentReviserInput, ContentReviserInput, WrittenText> {
  const timeoutMs = deadlineMs(services, defaultTimeoutMs);
  return defineTool({
    name: "content_reviser",
    description:
      "Revises a text according to a review, and returns the whole text in Markdown: { title, content, words }. Use it after " +
      "content_reviewer. Needs a configured model.",
    displayName: "Content reviser",
    category: "ai",
    tags: ["writing", "review"],
    capabilities: ["revise", "修订", "润色"],
    effect: "read",
    timeoutMs,
    input: fromJsonSchema<ContentReviserInput, ContentReviserInput>({
      type: "object",
      properties: {
        content: { description: "The text: as it is, or the output of content_writer." },
        feedback: { description: "What to change: the output of content_reviewer, or a text." },
      },
      required: ["content", "feedback"],
      additionalProperties: false,
      examples: [
        { content: "# Tide mills\n\nTide mills ground flour for a thousand years.", feedback: "Say how they worked." },
      ],
    }),
    output: fromJsonSchema<WrittenText, WrittenText>(writtenTextSchema),
    run: async ({ content, feedback }, context) => {
      const { requestWriterText } = await import("./request-writer.ts");
      const values = { content, feedback };
      const { text } = await requestWriterText(
        { tool: "content_reviser", values, needs: ["content", "feedback"], timeoutMs },
        services,
        context,
      );
      return toWrittenText(text, content);
    },
  });
}

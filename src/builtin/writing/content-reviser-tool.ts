import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { deadlineMs } from "./deadline.ts";
import { type WrittenText, toWrittenText, writtenTextSchema } from "./written-text.ts";
import type { WritingServices } from "./writing-services.ts";

/** What `content_reviser` takes. */
export interface ContentReviserInput {
  readonly content: unknown;
  readonly feedback: unknown;
}

const usualMs = 300_000;

/** `content_reviser`: a text after a review. */
export function contentReviserTool(
  services: WritingServices,
): Tool<ContentReviserInput, ContentReviserInput, WrittenText> {
  const timeoutMs = deadlineMs(services, usualMs);
  return defineTool({
    name: "content_reviser",
    description:
      "Revises a text as a review asks, and gives the whole text in Markdown: { title, content, words }. Use it after " +
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
      const { askForText } = await import("./ask-writer.ts");
      const values = { content, feedback };
      const { text } = await askForText(
        { tool: "content_reviser", values, needs: ["content", "feedback"], timeoutMs },
        services,
        context,
      );
      return toWrittenText(text, content);
    },
  });
}

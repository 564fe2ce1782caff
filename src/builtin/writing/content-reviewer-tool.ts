import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { deadlineMs } from "./deadline.ts";
import type { WritingServices } from "./writing-services.ts";

/** Input of `content_reviewer`. */
export interface ContentReviewerInput {
  readonly content: unknown;
  readonly criteria?: string;
}

/** Output of `content_reviewer`. */
export interface ContentReview {
  /** 0 to 10. */
  readonly score: number;
  readonly feedback: string;
  readonly strengths: readonly string[];
  readonly problems: readonly string[];
}

const defaultTimeoutMs = 180_000;

/** The tool `content_reviewer`: a judgment of a text. */
export function contentReviewerTool(
  services: WritingServices,
): Tool<ContentReviewerInput, ContentReviewerInput, ContentReview> {
  const timeoutMs = deadlineMs(services, defaultTimeoutMs);
  const output = fromJsonSchema<ContentReview, ContentReview>({
    type: "object",
    properties: {
      score: {
        type: "number",
        minimum: 0,
        maximum: 10,
        description: "0 to 10; from 8 on only small changes are needed.",
      },
      feedback: { type: "string", minLength: 1, description: "What to do first, in a few sentences." },
      strengths: { type: "array", items: { type: "string" }, default: [], description: "What to keep." },
      problems: { type: "array", items: { type: "string" }, default: [], description: "What to change, and where." },
    },
    required: ["score", "feedback"],
  });
  return defineTool({
    name: "content_reviewer",
    description:
      "Judges a text: { score, feedback, strengths, problems }, with a score from 0 to 10. Use it after content_writer; " +
      "content_reviser takes the review as it is. Needs a configured model.",
    displayName: "Content reviewer",
    category: "ai",
    tags: ["writing", "review"],
    capabilities: ["review", "审核"],
    effect: "read",
    timeoutMs,
    input: fromJsonSchema<ContentReviewerInput, ContentReviewerInput>({
      type: "object",
      properties: {
        content: { description: "The text: as it is, or the output of content_writer." },
        criteria: { type: "string", maxLength: 500, description: "The most important criteria." },
      },
      required: ["content"],
      additionalProperties: false,
      examples: [{ content: "# Tide mills\n\nTide mills ground flour for a thousand years." }],
    }),
    output,
    run: async ({ content, criteria }, context) => {
      const { requestWriterObject } = await import("./request-writer.ts");
      const values = { content, criteria };
      return requestWriterObject(
        { tool: "content_reviewer", values, needs: ["content"], schema: output, timeoutMs },
        services,
        context,
      );
    },
  });
}

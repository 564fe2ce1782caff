import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { deadlineMs } from "./deadline.ts";
import type { WritingServices } from "./writing-services.ts";

/** Input of `code_reviewer`. */
export interface CodeReviewerInput {
  readonly code: unknown;
  readonly test_results?: unknown;
  readonly requirements?: unknown;
  readonly focus?: string;
}

/** One issue of the code. */
export interface CodeIssue {
  readonly severity: "critical" | "high" | "medium" | "low";
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
}

/** Output of `code_reviewer`. */
export interface CodeReview {
  readonly issues: readonly CodeIssue[];
  readonly summary: string;
  /** True if the code can be used as it is. */
  readonly approved: boolean;
}

const defaultTimeoutMs = 180_000;
const grave: ReadonlySet<string> = new Set(["critical", "high"]);

const inputSchema: JsonSchema = {
  type: "object",
  properties: {
    code: { description: "The code: the output of code_generator, or a text." },
    test_results: { description: "The output of test_runner for it." },
    requirements: { description: "What the code has to do." },
    focus: { type: "string", maxLength: 500, description: "What to focus on, such as security." },
  },
  required: ["code"],
  additionalProperties: false,
  examples: [{ code: "export const isLeapYear = (year: number): boolean => year % 4 === 0;" }],
};

const outputSchema: JsonSchema = {
  type: "object",
  properties: {
    issues: {
      type: "array",
      maxItems: 200,
      description: "The issues; empty if there are none.",
      items: {
        type: "object",
        properties: {
          severity: { type: "string", enum: ["critical", "high", "medium", "low"] },
          file: { type: "string", description: "The path of the file." },
          line: { type: "integer", minimum: 1 },
          message: { type: "string", minLength: 1, description: "What goes wrong, when, and how to fix it." },
        },
        required: ["severity", "message"],
      },
    },
    summary: { type: "string", description: "The review in a few sentences." },
    approved: { type: "boolean", description: "True if the code can be used as it is." },
  },
  required: ["issues", "summary", "approved"],
};

/** The tool `code_reviewer`: the issues of code. */
export function codeReviewerTool(services: WritingServices): Tool<CodeReviewerInput, CodeReviewerInput, CodeReview> {
  const timeoutMs = deadlineMs(services, defaultTimeoutMs);
  const output = fromJsonSchema<CodeReview, CodeReview>(outputSchema);
  return defineTool({
    name: "code_reviewer",
    description:
      "Reviews code, with the results of its tests if they are given, and lists its issues: { issues: [{ severity, " +
      "file, line, message }], summary, approved }. An empty list means that nothing is wrong. Needs a configured model.",
    displayName: "Code reviewer",
    category: "ai",
    tags: ["code", "review"],
    capabilities: ["review", "代码审查"],
    effect: "read",
    timeoutMs,
    input: fromJsonSchema<CodeReviewerInput, CodeReviewerInput>(inputSchema),
    output,
    run: async ({ code, test_results, requirements, focus }, context) => {
      const { requestWriterObject } = await import("./request-writer.ts");
      const values = { code, test_results, requirements, focus };
      const review = await requestWriterObject(
        { tool: "code_reviewer", values, needs: ["code"], schema: output, timeoutMs },
        services,
        context,
      );
      // A model that lists a grave issue and approves nevertheless is overruled.
      return { ...review, approved: review.approved && !review.issues.some(({ severity }) => grave.has(severity)) };
    },
  });
}

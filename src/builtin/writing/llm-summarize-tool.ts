import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { deadlineMs } from "./deadline.ts";
import { summarize } from "./summarize.ts";
import { type SummaryStyle, summaryStyles } from "./summary/summary-style.ts";
import type { WritingServices } from "./writing-services.ts";

/** Input of `llm_summarize`. */
export interface SummarizeInput {
  readonly content: unknown;
  readonly style?: SummaryStyle;
  readonly max_length?: number;
  readonly focus?: string;
  readonly language?: string;
}

const defaultTimeoutMs = 120_000;

const inputSchema: JsonSchema = {
  type: "object",
  properties: {
    content: {
      description:
        "What to summarize: a text, an object such as a fetched page ({ title, url, content }), or a list of them.",
    },
    style: {
      type: "string",
      enum: Object.keys(summaryStyles),
      default: "paragraph",
      description: "The layout: a paragraph, bullet points, sections with headings, or one line.",
    },
    max_length: {
      type: "integer",
      minimum: 20,
      maximum: 20_000,
      default: 1_500,
      description: "Maximum number of characters of the summary, not counting the list of sources.",
    },
    focus: {
      type: "string",
      maxLength: 500,
      description: "What the reader wants to know, as a query or a topic.",
    },
    language: {
      type: "string",
      maxLength: 60,
      description: "The language to write in, such as English or 中文. Default: that of the content. Needs a model.",
    },
  },
  required: ["content"],
  additionalProperties: false,
  examples: [
    {
      content:
        "A tide mill is a water mill driven by the rise and fall of the tides. A dam with a sluice holds the water " +
        "that came in with the flood. When the tide is low, the water is let out and turns the wheel.",
      style: "bullet-points",
      max_length: 200,
    },
  ],
};

/** The tool `llm_summarize`: a summary of a text, a page or a list of them. */
export function llmSummarizeTool(services: WritingServices): Tool<SummarizeInput, SummarizeInput, string> {
  const timeoutMs = deadlineMs(services, defaultTimeoutMs);
  return defineTool({
    name: "llm_summarize",
    description:
      "Summarizes a text, a page, search results or any other content, and returns the summary as text, followed by the " +
      "addresses of its sources if the content names them. Use it before storing or showing long content. If no " +
      'model is configured, the summary consists of sentences of the content (meta.method is then "extractive").',
    displayName: "Summarize",
    category: "ai",
    tags: ["text", "summary"],
    capabilities: ["summarize", "总结", "摘要"],
    effect: "read",
    timeoutMs,
    input: fromJsonSchema<SummarizeInput, SummarizeInput>(inputSchema),
    output: fromJsonSchema<string, string>({ type: "string", minLength: 1 }),
    run: async ({ content, style, max_length, focus, language }, context) => {
      const options = {
        ...(style !== undefined && { style }),
        ...(max_length !== undefined && { maxLength: max_length }),
        focus,
        language,
        timeoutMs,
      };
      const { text, method, sources, truncated } = await summarize(content, options, { services, context });
      context.report({
        method,
        ...(sources.length > 0 && { sources }),
        ...(truncated && { truncated }),
        // Sentences of the content stay in its language.
        ...(method === "extractive" && language !== undefined && { ignored: ["language"] }),
      });
      return text;
    },
  });
}

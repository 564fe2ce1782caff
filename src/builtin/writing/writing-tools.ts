import type { AnyTool } from "../../tool/index.ts";
import { codeFixerTool } from "./code-fixer-tool.ts";
import { codeGeneratorTool } from "./code-generator-tool.ts";
import { codeReviewerTool } from "./code-reviewer-tool.ts";
import { contentReviewerTool } from "./content-reviewer-tool.ts";
import { contentReviserTool } from "./content-reviser-tool.ts";
import { contentWriterTool } from "./content-writer-tool.ts";
import { llmDesignTool } from "./llm-design-tool.ts";
import { llmSummarizeTool } from "./llm-summarize-tool.ts";
import { outlineGeneratorTool } from "./outline-generator-tool.ts";
import type { WritingServices } from "./writing-services.ts";

/**
 * Returns the tools that write and review with a model.
 *
 * @example
 * ```ts
 * const engine = createEngine({ tools: writingTools({ model: openModel(settings, { http }) }) });
 * ```
 */
export function writingTools(services: WritingServices): AnyTool[] {
  return [
    llmSummarizeTool(services),
    llmDesignTool(services),
    codeGeneratorTool(services),
    codeReviewerTool(services),
    codeFixerTool(services),
    outlineGeneratorTool(services),
    contentWriterTool(services),
    contentReviewerTool(services),
    contentReviserTool(services),
  ];
}

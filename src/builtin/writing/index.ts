export { folderPrompts } from "./folder-prompts.ts";
export { llmSummarizeTool } from "./llm-summarize-tool.ts";
export { type SummarizeDeps, type SummarizeOptions, type Summary, type SummarySource, summarize } from "./summarize.ts";
export { extractSummary } from "./summary/extract-summary.ts";
export { readContent } from "./summary/read-content.ts";
export { splitSentences } from "./summary/split-sentences.ts";
export { type SummaryStyle } from "./summary/summary-style.ts";
export type { ReadPrompt, WritingServices } from "./writing-services.ts";
export { writingTools } from "./writing-tools.ts";

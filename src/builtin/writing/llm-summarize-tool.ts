import type { AnyTool, PromptContext } from "../../tool/index.ts";
import { createPromptSender, type WritingServices } from "./prompt-sender.ts";
import { readWritingFile } from "./read-writing-file.ts";
import { summarize } from "./summarize.ts";
import type { SummaryStyle } from "./summary/summary-style.ts";

interface SummarizeInput {
  readonly content?: unknown;
  readonly style?: SummaryStyle;
  readonly max_length?: number;
  readonly focus?: string;
  readonly language?: string;
}

/** The tool `llm_summarize`: a summary of a text, a page or a list of them. */
export function llmSummarizeTool(services: WritingServices): AnyTool {
  const sender = createPromptSender(services);
  const send = async (
    { timeoutMs }: { readonly timeoutMs: number },
    { content, max_length: maxLength, ...input }: SummarizeInput,
    context: PromptContext,
  ): Promise<string> => {
    const options = { ...input, ...(maxLength !== undefined && { maxLength }), timeoutMs };
    const { text, method, sources, truncated } = await summarize(content, options, { services, context });
    context.report({
      method,
      ...(sources.length > 0 && { sources }),
      ...(truncated && { truncated }),
      // Sentences of the content stay in its language.
      ...(method === "extractive" && input.language !== undefined && { ignored: ["language"] }),
    });
    return text;
  };
  // Without a model, it extracts sentences.
  return readWritingFile("llm_summarize", { ...sender, send, unavailable: () => undefined }).tool;
}

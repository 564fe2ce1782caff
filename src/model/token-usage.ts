import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";
import { estimateTokens } from "../text/index.ts";

/** What an answer cost in tokens. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The server did not say; the numbers are guessed from the texts. */
  readonly estimated?: boolean;
}

/** Nothing used. */
export const noTokens: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** Both together. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...((a.estimated === true || b.estimated === true) && { estimated: true }),
  };
}

/** What a server says was used, or an estimate where it says nothing. */
export function usageOf(usage: LanguageModelV4Usage, prompt: LanguageModelV4Prompt, text: string): TokenUsage {
  const { inputTokens, outputTokens } = {
    inputTokens: usage.inputTokens.total,
    outputTokens: usage.outputTokens.total,
  };
  if (inputTokens !== undefined && outputTokens !== undefined) return { inputTokens, outputTokens };
  return {
    inputTokens: inputTokens ?? prompt.reduce((sum, message) => sum + estimateTokens(textOf(message)), 0),
    outputTokens: outputTokens ?? estimateTokens(text),
    estimated: true,
  };
}

function textOf({ content }: LanguageModelV4Prompt[number]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { LanguageModelV4Content, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { identifyCalls } from "./identify-calls.ts";
import { keepMessage } from "./kept-message.ts";
import { rawCalls } from "./raw-calls.ts";
import { saidIn } from "./said.ts";

/** The parts of an answer. Where the message says more than they do, the first call carries it, or else the last part. */
export function answerParts(
  message: AIMessage | AIMessageChunk,
  prompt: LanguageModelV4Prompt,
  provider: string,
): LanguageModelV4Content[] {
  const kept = keepMessage(message, provider);
  const calls = identifyCalls(rawCalls(message), prompt);
  const said = saidIn(message);
  const parts: LanguageModelV4Content[] = [
    ...said.map(({ type, text }) => ({ type, text })),
    ...calls.map(({ id, name, input }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      input,
    })),
  ];
  const at = calls.length > 0 ? said.length : said.length - 1;
  return kept === undefined
    ? parts
    : parts.map((part, index) => (index === at ? { ...part, providerMetadata: kept } : part));
}

import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { estimateTokens } from "../text/index.ts";
import type { ModelCall } from "./model.ts";

/** About what an image or a file takes, whatever its bytes. */
const fileTokens = 1000;
/** What a message takes besides its parts. */
const messageTokens = 4;

/** A part of a message. */
export type PromptPart = Exclude<LanguageModelV4Message["content"], string>[number];

type ToolOutput = Extract<PromptPart, { type: "tool-result" }>["output"];

/** How many tokens a question has, roughly: what is said in it, and the tools that it offers. */
export function estimateCall({ prompt, tools = [] }: Pick<ModelCall, "prompt" | "tools">): number {
  return estimatePrompt(prompt) + (tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)));
}

/** How many tokens a prompt has, roughly. */
export function estimatePrompt(prompt: LanguageModelV4Prompt): number {
  return prompt.reduce((tokens, message) => tokens + estimateMessage(message), 0);
}

/** How many tokens a message has, roughly. */
export function estimateMessage({ content }: LanguageModelV4Message): number {
  if (typeof content === "string") return estimateTokens(content);
  let tokens = messageTokens;
  for (const part of content) tokens += estimatePart(part);
  return tokens;
}

/** How many tokens a part of a message has, roughly. */
export function estimatePart(part: PromptPart): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return estimateTokens(part.text);
    case "tool-call":
      return estimateTokens(part.toolName + JSON.stringify(part.input));
    case "tool-result":
      return estimateOutput(part.output);
    default:
      return fileTokens;
  }
}

function estimateOutput(output: ToolOutput): number {
  switch (output.type) {
    case "text":
    case "error-text":
      return estimateTokens(output.value);
    case "json":
    case "error-json":
      return estimateTokens(JSON.stringify(output.value));
    case "execution-denied":
      return estimateTokens(output.reason ?? "");
    case "content":
      return output.value.reduce(
        (tokens, part) => tokens + (part.type === "text" ? estimateTokens(part.text) : fileTokens),
        0,
      );
  }
}

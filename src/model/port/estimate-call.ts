import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { estimateTokens } from "../../text/index.ts";
import type { ModelCall } from "./model.ts";
import { imagesOf } from "./tool-images.ts";

/** Approximate tokens of an image or a file, regardless of its size. */
const fileTokens = 1000;
/** Tokens of a message besides its parts. */
const messageTokens = 4;

/** A part of a message. */
export type PromptPart = Exclude<LanguageModelV4Message["content"], string>[number];

type ToolOutput = Extract<PromptPart, { type: "tool-result" }>["output"];

/** Estimated tokens of a request: its messages and the tools it offers. */
export function estimateCall({ prompt, tools = [] }: Pick<ModelCall, "prompt" | "tools">): number {
  return estimatePrompt(prompt) + (tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)));
}

/** Estimated tokens of a prompt. */
export function estimatePrompt(prompt: LanguageModelV4Prompt): number {
  return prompt.reduce((tokens, message) => tokens + estimateMessage(message), 0);
}

/** Estimated tokens of a message. */
export function estimateMessage({ content }: LanguageModelV4Message): number {
  if (typeof content === "string") return estimateTokens(content);
  let tokens = messageTokens;
  for (const part of content) tokens += estimatePart(part);
  return tokens;
}

/** Estimated tokens of a part of a message. */
export function estimatePart(part: PromptPart): number {
  return estimateContent(part) + estimateImages(part);
}

/** Estimated tokens of the images of tools that belong to a part. */
export function estimateImages(part: PromptPart): number {
  return part.providerOptions === undefined ? 0 : imagesOf(part).length * fileTokens;
}

function estimateContent(part: PromptPart): number {
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

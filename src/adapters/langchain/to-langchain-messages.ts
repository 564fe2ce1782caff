import { type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import { type FileLike, toBlock } from "./file-block.ts";
import { restoreMessage } from "./attached-message.ts";

type UserMessage = Extract<LanguageModelV4Message, { role: "user" }>;

/** Converts a conversation to LangChain messages; `provider` is the provider of the model that receives them. */
export function toLangChainMessages(prompt: LanguageModelV4Prompt, provider: string): BaseMessage[] {
  return prompt.flatMap((message): BaseMessage[] => {
    switch (message.role) {
      case "system":
        return [new SystemMessage(message.content)];
      case "user":
        return [new HumanMessage({ content: userContent(message) })];
      case "assistant":
        return [
          restoreMessage(message, provider),
          ...message.content.filter((part) => part.type === "tool-result").map(toToolMessage),
        ];
      case "tool":
        return message.content.filter((part) => part.type === "tool-result").map(toToolMessage);
      default:
        return message satisfies never;
    }
  });
}

function userContent({ content }: UserMessage): HumanMessage["content"] {
  if (content.every((part) => part.type === "text")) return content.map(({ text }) => text).join("\n\n");
  return content.map((part) => (part.type === "text" ? { type: "text", text: part.text } : toBlock(part)));
}

function toToolMessage({ toolCallId, toolName, output }: LanguageModelV4ToolResultPart): ToolMessage {
  const failed = output.type === "error-text" || output.type === "error-json" || output.type === "execution-denied";
  return new ToolMessage({
    tool_call_id: toolCallId,
    name: toolName,
    status: failed ? "error" : "success",
    content: resultContent(output),
  });
}

function resultContent(output: LanguageModelV4ToolResultPart["output"]): ToolMessage["content"] {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "It was not run: the call was not allowed.";
    case "content":
      return output.value.flatMap((part) => {
        if (part.type === "text") return [{ type: "text", text: part.text }];
        return part.type === "file" ? [toBlock(part satisfies FileLike)] : [];
      });
    default:
      return output satisfies never;
  }
}

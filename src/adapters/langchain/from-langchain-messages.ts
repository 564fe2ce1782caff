import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { AssistantMessage } from "../../model/index.ts";
import { isRecord } from "../../schema/index.ts";
import { fromBlock } from "./file-block.ts";
import { attachedTurn } from "./attached-turn.ts";

/** Converts a LangChain conversation to a Windlass prompt. */
export function fromLangChainMessages(messages: readonly BaseMessage[]): LanguageModelV4Prompt {
  const answered = new Set(messages.flatMap((message) => (isToolMessage(message) ? message.tool_call_id : [])));
  const names = new Map<string, string>();
  const prompt: LanguageModelV4Prompt = [];
  for (const message of messages) {
    const made = isToolMessage(message) ? toolMessage(message, names) : plainMessage(message, answered);
    if (made.role === "assistant") {
      for (const part of made.content) if (part.type === "tool-call") names.set(part.toolCallId, part.toolName);
    }
    const last = prompt.at(-1);
    // The results of one response's calls are one message.
    if (made.role === "tool" && last?.role === "tool") last.content.push(...made.content);
    else prompt.push(made);
  }
  return prompt;
}

function plainMessage(message: BaseMessage, answered: ReadonlySet<string>): LanguageModelV4Message {
  if (isAiMessage(message)) return attachedTurn(message) ?? assistantMessage(message, answered);
  return isSystem(message) ? { role: "system", content: message.text } : { role: "user", content: contentOf(message) };
}

/** Also true of a chat message with the custom role `system`. */
function isSystem(message: BaseMessage): boolean {
  const role = "role" in message ? message.role : message.type;
  return role === "system" || role === "developer";
}

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"];

function contentOf({ contentBlocks }: BaseMessage): UserContent {
  return contentBlocks.flatMap((block): UserContent => {
    if (block.type === "text") return [{ type: "text", text: block.text }];
    const file = fromBlock(block);
    return file === undefined ? [] : [{ type: "file", ...file }];
  });
}

function assistantMessage(message: AIMessage, answered: ReadonlySet<string>): AssistantMessage {
  const { text, tool_calls: calls = [], invalid_tool_calls: invalid = [] } = message;
  // A call that could not be parsed is included only if it has a result.
  const broken = invalid.flatMap(({ id, name = "" }) =>
    id !== undefined && answered.has(id) ? [{ id, name, args: {} }] : [],
  );
  const parts = [...calls, ...broken].map(({ id = "", name, args }) => ({
    type: "tool-call" as const,
    toolCallId: id,
    toolName: name,
    input: isRecord(args) ? args : {},
  }));
  return { role: "assistant", content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...parts] };
}

type ToolRole = Extract<LanguageModelV4Message, { role: "tool" }>;
type Output = Extract<ToolRole["content"][number], { type: "tool-result" }>["output"];

function toolMessage(message: ToolMessage, names: ReadonlyMap<string, string>): ToolRole {
  const toolCallId = message.tool_call_id;
  const toolName = message.name ?? names.get(toolCallId) ?? "tool";
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: outputOf(message) }] };
}

function outputOf(message: ToolMessage): Output {
  const { status, text } = message;
  if (status === "error") return { type: "error-text", value: text };
  const content = contentOf(message);
  if (content.every(({ type }) => type === "text")) return { type: "text", value: text };
  return { type: "content", value: content };
}

function isAiMessage(message: BaseMessage): message is AIMessage {
  return message.type === "ai";
}

function isToolMessage(message: BaseMessage): message is ToolMessage {
  return message.type === "tool";
}

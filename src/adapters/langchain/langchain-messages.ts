import { attachmentKind } from "../../tool/index.ts";
import {
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type ContentBlock,
  type AIMessage,
} from "@langchain/core/messages";
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4FileData,
} from "@ai-sdk/provider";
import { restoreMessage } from "./attached-message.ts";
import type { AssistantMessage } from "../../model/index.ts";
import { isRecord } from "../../schema/index.ts";
import { attachedTurn } from "./attached-turn.ts";

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

/** A file in a Windlass message. */
interface FileLike {
  readonly data: SharedV4FileData;
  readonly mediaType: string;
  readonly filename?: string | undefined;
}

/** Converts a file to a block of a LangChain message, in the form that most of its models support. */
function toBlock({ data, mediaType, filename }: FileLike): ContentBlock {
  const mime_type = mediaType.includes("/") && !mediaType.endsWith("/*") ? mediaType : normalizeMediaType(mediaType);
  const name = filename === undefined ? {} : { metadata: { filename } };
  const kind = attachmentKind(mime_type);
  switch (data.type) {
    case "text":
      return { type: "text", text: data.text };
    case "reference":
      return { type: kind, source_type: "id", id: Object.values(data.reference)[0] ?? "", ...name };
    case "url": {
      const url = data.url.toString();
      return kind === "image" ? image(url) : { type: kind, source_type: "url", mime_type, url, ...name };
    }
    case "data": {
      const base64 = typeof data.data === "string" ? data.data : Buffer.from(data.data).toString("base64");
      if (kind === "image") return image(`data:${mime_type};base64,${base64}`);
      return { type: kind, source_type: "base64", mime_type, data: base64, ...name };
    }
    default:
      return data satisfies never;
  }
}

/** Supported by all of them, unlike the newer forms. */
function image(url: string): ContentBlock {
  return { type: "image_url", image_url: { url } };
}

function normalizeMediaType(mediaType: string): string {
  const [top] = mediaType.split("/");
  const defaults: Readonly<Record<string, string>> = { image: "image/png", audio: "audio/wav", text: "text/plain" };
  return defaults[top ?? ""] ?? "application/octet-stream";
}

/** Block types that hold files, with the MIME type assumed if the block has none. */
const fileTypes: Readonly<Record<string, string>> = {
  image: "image",
  audio: "audio",
  video: "video",
  file: "application/octet-stream",
  "text-plain": "text/plain",
};

type Block = Readonly<Record<string, unknown>>;

/** Converts a block of a LangChain message, in its standard form, to a file; undefined if it is not a file block. */
function fromBlock(block: Block): Omit<FileLike, "filename"> | undefined {
  const { type, mimeType } = block;
  const defaults = typeof type === "string" && Object.hasOwn(fileTypes, type) ? fileTypes[type] : undefined;
  const data = dataIn(block);
  if (defaults === undefined || data === undefined) return undefined;
  return { mediaType: typeof mimeType === "string" && mimeType !== "" ? mimeType : defaults, data };
}

function dataIn({ data, text, url, fileId }: Block): SharedV4FileData | undefined {
  if (data instanceof Uint8Array || typeof data === "string") return { type: "data", data };
  if (typeof text === "string") return { type: "text", text };
  if (typeof url === "string" && URL.canParse(url)) return { type: "url", url: new URL(url) };
  return typeof fileId === "string" ? { type: "reference", reference: { file: fileId } } : undefined;
}

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

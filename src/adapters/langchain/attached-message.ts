import { parseJson, orElse } from "../../base/index.ts";
import { AIMessage, type AIMessageChunk } from "@langchain/core/messages";
import type { JSONObject, LanguageModelV4Message, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { isRecord } from "../../schema/index.ts";
import { type MessagePart, readMessageParts } from "./message-parts.ts";

type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type AssistantPart = AssistantMessage["content"][number];
type CallPart = Extract<AssistantPart, { type: "tool-call" }>;

/** The key under which parts of a response carry the message that they derive from. */
const key = "langchain";

/** The part of a message that goes back to its provider, as JSON. */
interface AttachedMessage {
  readonly content: unknown;
  readonly additional_kwargs: Readonly<Record<string, unknown>>;
  readonly response_metadata: Readonly<Record<string, unknown>>;
  readonly id?: string | undefined;
}

/**
 * Returns the original message, to be attached to the parts that are derived from it: reasoning with its signatures,
 * and any other provider-specific content, is sent back with the next request. Undefined if the parts are complete.
 */
export function attachMessage(
  message: AIMessage | AIMessageChunk,
  provider: string,
): SharedV4ProviderMetadata | undefined {
  if (isPlain(message)) return undefined;
  const { content, additional_kwargs, response_metadata, id } = message;
  const attached: AttachedMessage = { content, additional_kwargs, response_metadata, id };
  // A copy: the attached message must not change, and is written to the journal as JSON.
  return orElse(
    () => ({ [key]: { provider, message: JSON.parse(JSON.stringify(attached)) as JSONObject } }),
    undefined,
  );
}

/** These keys alone reveal content of other providers beside the text and the calls. */
const fieldsOfOtherProviders = new Set(["tool_calls", "function_call"]);

function isPlain({ content, additional_kwargs }: AIMessage | AIMessageChunk): boolean {
  return (
    typeof content === "string" && Object.keys(additional_kwargs).every((name) => fieldsOfOtherProviders.has(name))
  );
}

/**
 * Converts a conversation message to a LangChain message: the attached original if it goes back to its own provider and
 * the message is unchanged.
 */
export function restoreMessage({ content: parts }: AssistantMessage, provider: string): AIMessage {
  const calls = parts.filter((part) => part.type === "tool-call");
  const tool_calls = calls.map(({ toolCallId: id, toolName: name, input }) => ({
    type: "tool_call" as const,
    id,
    name,
    args: isRecord(input) ? input : {},
  }));
  const attached = attachedMessageIn(parts, provider);
  if (attached === undefined || !isSameText(attached, parts))
    return new AIMessage({ content: textIn(parts), tool_calls });
  const { content, additional_kwargs, response_metadata, id } = repaired(attached, calls);
  return new AIMessage({
    // LangChain parsed this content from JSON and serializes it as JSON.
    content: content as AIMessage["content"],
    additional_kwargs,
    response_metadata,
    tool_calls,
    ...(id !== undefined && { id }),
  });
}

function textIn(parts: readonly AssistantPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function attachedMessageIn(parts: readonly AssistantPart[], provider: string): AttachedMessage | undefined {
  for (const { providerOptions } of parts) {
    const { message, provider: owner } = providerOptions?.[key] ?? {};
    if (
      owner !== provider ||
      !isRecord(message) ||
      !isRecord(message["additional_kwargs"]) ||
      !isRecord(message["response_metadata"])
    )
      continue;
    const { content, additional_kwargs, response_metadata, id } = message;
    return { content, additional_kwargs, response_metadata, ...(typeof id === "string" && { id }) };
  }
  return undefined;
}

/** White space aside, which some trim. */
function isSameText(attached: AttachedMessage, parts: readonly AssistantPart[]): boolean {
  const ids = new Set(parts.map((part) => (part.type === "tool-call" ? part.toolCallId : undefined)));
  // A call in the content that was removed from the message would have no result.
  if (!callIdsIn(attached.content).every((id) => ids.has(id))) return false;
  const now = parts.filter((part) => part.type === "text" || part.type === "reasoning");
  return (["text", "reasoning"] as const).every(
    (type) => joinText(readMessageParts(attached), type) === joinText(now, type),
  );
}

function callIdsIn(content: unknown): string[] {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  return blocks.flatMap(({ type, id }) => (type === "tool_use" && typeof id === "string" ? id : []));
}

function joinText(text: readonly MessagePart[], type: MessagePart["type"]): string {
  return text
    .map((each) => (each.type === type ? each.text : ""))
    .join("")
    .replaceAll(/\s+/g, "");
}

/**
 * Removes arguments that no provider accepts: those of truncated or malformed calls, which were never run. Tool names
 * are those of the conversation, for the same reason.
 */
function repaired(attached: AttachedMessage, calls: readonly CallPart[]): AttachedMessage {
  const isCalled = (name: unknown): boolean => calls.some(({ toolName }) => toolName === name);
  const { tool_calls: raw, ...beside } = attached.additional_kwargs;
  const isWhole =
    raw === undefined || (rawFields(raw, "arguments").every(isJsonObject) && rawFields(raw, "name").every(isCalled));
  const content = Array.isArray(attached.content)
    ? attached.content.map((block) => repairedBlock(block, calls))
    : attached.content;
  return { ...attached, content, additional_kwargs: isWhole ? attached.additional_kwargs : beside };
}

function rawFields(raw: unknown, field: string): unknown[] {
  if (!Array.isArray(raw)) return [undefined];
  return raw.map((call: unknown) =>
    isRecord(call) && isRecord(call["function"]) ? call["function"][field] : undefined,
  );
}

/** Anthropic represents a call as a part of the content. */
function repairedBlock(block: unknown, calls: readonly CallPart[]): unknown {
  if (!isRecord(block) || block["type"] !== "tool_use") return block;
  const call = calls.find(({ toolCallId }) => toolCallId === block["id"]);
  const { toolName: name = block["name"] } = call ?? {};
  if (isRecord(block["input"])) return name === block["name"] ? block : { ...block, name };
  return { ...block, name, input: isRecord(call?.input) ? call.input : {} };
}

function isJsonObject(text: unknown): boolean {
  return typeof text === "string" && isRecord(parseJson(text));
}

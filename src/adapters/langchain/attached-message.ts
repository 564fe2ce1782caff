import { AIMessage, type AIMessageChunk } from "@langchain/core/messages";
import type { JSONObject, LanguageModelV4Message, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { isRecord } from "../../schema/index.ts";
import { type Said, saidIn } from "./said.ts";

type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type AssistantPart = AssistantMessage["content"][number];
type CallPart = Extract<AssistantPart, { type: "tool-call" }>;

/** The key under which parts of an answer carry the message that they were made of. */
const key = "langchain";

/** What of a message goes back to its provider, as JSON. */
interface Kept {
  readonly content: unknown;
  readonly additional_kwargs: Readonly<Record<string, unknown>>;
  readonly response_metadata: Readonly<Record<string, unknown>>;
  readonly id?: string | undefined;
}

/**
 * The message itself, to go beside the parts that are made of it: thoughts with their signatures and whatever else only
 * its provider understands come back with the next question. Undefined where the parts say all there is.
 */
export function keepMessage(
  message: AIMessage | AIMessageChunk,
  provider: string,
): SharedV4ProviderMetadata | undefined {
  if (isPlain(message)) return undefined;
  const { content, additional_kwargs, response_metadata, id } = message;
  const kept: Kept = { content, additional_kwargs, response_metadata, id };
  try {
    // A copy: what is kept must not change, and goes into journals as JSON.
    return { [key]: { provider, message: JSON.parse(JSON.stringify(kept)) as JSONObject } };
  } catch {
    return undefined;
  }
}

/** What other providers have beside the text and the calls is told by these alone. */
const told = new Set(["tool_calls", "function_call"]);

function isPlain({ content, additional_kwargs }: AIMessage | AIMessageChunk): boolean {
  return typeof content === "string" && Object.keys(additional_kwargs).every((name) => told.has(name));
}

/**
 * A message of a conversation as LangChain takes it: the one that was kept, as long as it goes to the provider that it
 * came from, and nobody changed what it says.
 */
export function replayMessage({ content: parts }: AssistantMessage, provider: string): AIMessage {
  const calls = parts.filter((part) => part.type === "tool-call");
  const tool_calls = calls.map(({ toolCallId: id, toolName: name, input }) => ({
    type: "tool_call" as const,
    id,
    name,
    args: isRecord(input) ? input : {},
  }));
  const kept = keptIn(parts, provider);
  if (kept === undefined || !saysTheSame(kept, parts)) return new AIMessage({ content: textIn(parts), tool_calls });
  const { content, additional_kwargs, response_metadata, id } = mended(kept, calls);
  return new AIMessage({
    // Content of a form that LangChain made of JSON and gave as JSON.
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

function keptIn(parts: readonly AssistantPart[], provider: string): Kept | undefined {
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
function saysTheSame(kept: Kept, parts: readonly AssistantPart[]): boolean {
  const ids = new Set(parts.map((part) => (part.type === "tool-call" ? part.toolCallId : undefined)));
  // A call in the content that is none any more would have no result.
  if (!callIdsIn(kept.content).every((id) => ids.has(id))) return false;
  const now = parts.filter((part) => part.type === "text" || part.type === "reasoning");
  return (["text", "reasoning"] as const).every((type) => wordsOf(saidIn(kept), type) === wordsOf(now, type));
}

function callIdsIn(content: unknown): string[] {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  return blocks.flatMap(({ type, id }) => (type === "tool_use" && typeof id === "string" ? id : []));
}

function wordsOf(said: readonly Said[], type: Said["type"]): string {
  return said
    .map((each) => (each.type === type ? each.text : ""))
    .join("")
    .replaceAll(/\s+/g, "");
}

/**
 * Without arguments that no provider takes back: of calls that were cut off or unreadable, and so were never run. Names of
 * tools are those of the conversation, for the same reason.
 */
function mended(kept: Kept, calls: readonly CallPart[]): Kept {
  const isCalled = (name: unknown): boolean => calls.some(({ toolName }) => toolName === name);
  const { tool_calls: raw, ...beside } = kept.additional_kwargs;
  const isWhole = raw === undefined || (rawTexts(raw).every(isJsonObject) && rawNames(raw).every(isCalled));
  const content = Array.isArray(kept.content) ? kept.content.map((block) => mendedBlock(block, calls)) : kept.content;
  return { ...kept, content, additional_kwargs: isWhole ? kept.additional_kwargs : beside };
}

function rawTexts(raw: unknown): unknown[] {
  return rawFields(raw, "arguments");
}

function rawNames(raw: unknown): unknown[] {
  return rawFields(raw, "name");
}

function rawFields(raw: unknown, field: string): unknown[] {
  if (!Array.isArray(raw)) return [undefined];
  return raw.map((call: unknown) =>
    isRecord(call) && isRecord(call["function"]) ? call["function"][field] : undefined,
  );
}

/** Anthropic's form of a call is a part of the content. */
function mendedBlock(block: unknown, calls: readonly CallPart[]): unknown {
  if (!isRecord(block) || block["type"] !== "tool_use") return block;
  const call = calls.find(({ toolCallId }) => toolCallId === block["id"]);
  const { toolName: name = block["name"] } = call ?? {};
  if (isRecord(block["input"])) return name === block["name"] ? block : { ...block, name };
  return { ...block, name, input: isRecord(call?.input) ? call.input : {} };
}

function isJsonObject(text: unknown): boolean {
  if (typeof text !== "string") return false;
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { isRecord } from "../../schema/index.ts";
import { CallCollector, type RawCall } from "./call-collector.ts";

/**
 * The tool calls of a message, as the model wrote them. LangChain completes truncated arguments and presents the result
 * as if it were complete: so its chunks and raw texts are read first, and its parsed form only if there is no text.
 */
export function rawCalls(message: AIMessage | AIMessageChunk): readonly RawCall[] {
  if ("tool_call_chunks" in message && message.tool_call_chunks.length > 0) {
    const collector = new CallCollector();
    for (const piece of message.tool_call_chunks) collector.add(piece);
    return collector.calls;
  }
  const texts = argumentTexts(message.additional_kwargs);
  const parsed = (message.tool_calls ?? []).map(({ id = "", name, args }) => ({
    id,
    name,
    input: texts.get(id) ?? rawArguments(args),
  }));
  const unparsed = (message.invalid_tool_calls ?? []).map(({ id = "", name = "", args }) => ({
    id,
    name,
    input: texts.get(id) ?? rawArguments(args),
  }));
  return [...parsed, ...unparsed];
}

/** Arguments as sent by OpenAI-compatible APIs, by call id. */
function argumentTexts({ tool_calls: calls }: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const call of Array.isArray(calls) ? calls.filter(isRecord) : []) {
    const made = isRecord(call["function"]) ? call["function"]["arguments"] : undefined;
    if (typeof call["id"] === "string" && call["id"] !== "" && typeof made === "string") texts.set(call["id"], made);
  }
  return texts;
}

function rawArguments(args: unknown): string {
  return typeof args === "string" ? args : (JSON.stringify(args) ?? "");
}

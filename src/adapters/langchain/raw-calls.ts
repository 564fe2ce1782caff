import { textOrJson } from "../../base/index.ts";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { RawToolCall } from "../../model/index.ts";
import { isRecord } from "../../schema/index.ts";

/** A chunk of a tool call, as LangChain's models stream them. */
interface CallPiece {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: string | undefined;
  readonly index?: number | string | undefined;
}

/** A call that is being assembled. */
interface GrowingCall {
  id: string;
  name: string;
  input: string;
  readonly index: number | string | undefined;
}

/** Assembles tool calls from chunks, which some models send without an index, an id, or either. */
export class CallCollector {
  readonly #calls: GrowingCall[] = [];

  get calls(): readonly RawToolCall[] {
    return this.#calls;
  }

  /** Adds a chunk to its call, and returns that call. */
  add({ id = "", name = "", args = "", index }: CallPiece): RawToolCall {
    const call = this.#find(id, name, index) ?? this.#begin(index);
    if (call.id === "") call.id = id;
    if (call.name === "") call.name = name;
    call.input += args;
    return call;
  }

  #find(id: string, name: string, index: CallPiece["index"]): GrowingCall | undefined {
    const isOther = (call: GrowingCall): boolean => id !== "" && call.id !== "" && call.id !== id;
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index && !isOther(call));
    if (id !== "") return this.#calls.findLast((call) => call.id === id);
    // Neither: a continuation of the last call, unless it has its own name.
    return name === "" ? this.#calls.at(-1) : undefined;
  }

  #begin(index: CallPiece["index"]): GrowingCall {
    const call: GrowingCall = { id: "", name: "", input: "", index };
    this.#calls.push(call);
    return call;
  }
}

/** Gives each call of a response an id; a missing one is derived from the turn and the call's index. */
export function identifyCalls(calls: readonly RawToolCall[], prompt: LanguageModelV4Prompt): RawToolCall[] {
  const turn = prompt.filter(({ role }) => role === "assistant").length;
  return calls.map((call, index) => (call.id === "" ? { ...call, id: `call_${turn}_${index}` } : call));
}

/**
 * The tool calls of a message, as the model wrote them. LangChain completes truncated arguments and presents the result
 * as if it were complete: so its chunks and raw texts are read first, and its parsed form only if there is no text.
 */
export function rawCalls(message: AIMessage | AIMessageChunk): readonly RawToolCall[] {
  if ("tool_call_chunks" in message && message.tool_call_chunks.length > 0) {
    const collector = new CallCollector();
    for (const piece of message.tool_call_chunks) collector.add(piece);
    return collector.calls;
  }
  const texts = argumentTexts(message.additional_kwargs);
  const parsed = (message.tool_calls ?? []).map(({ id = "", name, args }) => ({
    id,
    name,
    input: texts.get(id) ?? textOrJson(args),
  }));
  const unparsed = (message.invalid_tool_calls ?? []).map(({ id = "", name = "", args }) => ({
    id,
    name,
    input: texts.get(id) ?? textOrJson(args),
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

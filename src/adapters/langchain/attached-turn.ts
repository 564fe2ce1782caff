import { parseJson } from "../../base/index.ts";
import type { AIMessage } from "@langchain/core/messages";
import { type AssistantMessage, type ModelTurn, toAssistantMessage } from "../../model/index.ts";
import { isRecord } from "../../schema/index.ts";

/** The key under which a LangChain message carries the response that it derives from. */
const key = "windlass";

/**
 * Returns the original response, to be attached to the LangChain message that is derived from it: reasoning and
 * signatures are sent back with the next request. Serialized as a string, since LangChain merges objects of several
 * chunks. Empty if the message is complete.
 */
export function attachTurn(turn: ModelTurn): { readonly [key]?: string } {
  const isMore = turn.content.some(
    ({ type, providerOptions }) => type === "reasoning" || providerOptions !== undefined,
  );
  return isMore ? { [key]: JSON.stringify(toAssistantMessage(turn)) } : {};
}

/** The original response attached to a message, if the message is unchanged. */
export function attachedTurn(message: AIMessage): AssistantMessage | undefined {
  const attached = message.additional_kwargs[key];
  if (typeof attached !== "string") return undefined;
  const answer = read(attached);
  return answer !== undefined && isSameAnswer(answer, message) ? answer : undefined;
}

function read(attached: string): AssistantMessage | undefined {
  const answer = parseJson(attached);
  // Written only by `attachTurn`.
  return isRecord(answer) && Array.isArray(answer["content"]) ? (answer as unknown as AssistantMessage) : undefined;
}

function isSameAnswer(
  { content }: AssistantMessage,
  { text, tool_calls = [], invalid_tool_calls = [] }: AIMessage,
): boolean {
  const attachedText = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const ids = content.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : []));
  const present = [...tool_calls, ...invalid_tool_calls].map(({ id }) => id);
  // A broken call has no result in LangChain, and a provider would require one.
  return (
    attachedText === text &&
    ids.length === present.length &&
    ids.every((id) => present.includes(id)) &&
    invalid_tool_calls.length === 0
  );
}

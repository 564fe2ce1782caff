import type { AIMessage } from "@langchain/core/messages";
import { type AssistantMessage, type ModelTurn, toAssistantMessage } from "../../model/index.ts";
import { isRecord } from "../../schema/index.ts";

/** The key under which a message of LangChain carries the answer that it was made of. */
const key = "windlass";

/**
 * The answer itself, to go beside the LangChain message that is made of it: thoughts and signatures come back with the
 * next question. A text, since LangChain puts objects of several pieces together. Nothing where the message says it all.
 */
export function keepAnswer(turn: ModelTurn): { readonly [key]?: string } {
  const isMore = turn.content.some(
    ({ type, providerOptions }) => type === "reasoning" || providerOptions !== undefined,
  );
  return isMore ? { [key]: JSON.stringify(toAssistantMessage(turn)) } : {};
}

/** The answer that a message carries, as long as nobody has changed what the message says. */
export function answerIn(message: AIMessage): AssistantMessage | undefined {
  const kept = message.additional_kwargs[key];
  if (typeof kept !== "string") return undefined;
  const answer = read(kept);
  return answer !== undefined && saysTheSame(answer, message) ? answer : undefined;
}

function read(kept: string): AssistantMessage | undefined {
  try {
    const answer: unknown = JSON.parse(kept);
    // Written by `keepAnswer` and by nobody else.
    return isRecord(answer) && Array.isArray(answer["content"]) ? (answer as unknown as AssistantMessage) : undefined;
  } catch {
    return undefined;
  }
}

function saysTheSame(
  { content }: AssistantMessage,
  { text, tool_calls = [], invalid_tool_calls = [] }: AIMessage,
): boolean {
  const said = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const ids = content.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : []));
  const present = [...tool_calls, ...invalid_tool_calls].map(({ id }) => id);
  // A call that was broken has no result in LangChain, and a provider would miss it.
  return (
    said === text &&
    ids.length === present.length &&
    ids.every((id) => present.includes(id)) &&
    invalid_tool_calls.length === 0
  );
}

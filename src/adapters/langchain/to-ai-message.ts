import { AIMessageChunk, type UsageMetadata } from "@langchain/core/messages";
import { type ModelTurn, type TokenUsage, type TurnToolCall, textOfTurn, toolCallsOf } from "../../model/index.ts";
import { keepAnswer } from "./kept-answer.ts";

/** An answer as a message of LangChain. */
export function toAiMessage(turn: ModelTurn): AIMessageChunk {
  const thought = turn.content.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
  return lastChunk(turn, { content: textOfTurn(turn), thought });
}

/** What of an answer a stream has not told yet: its calls, why it ended, what it cost. */
export function lastChunk(turn: ModelTurn, left: { content: string; thought: string }): AIMessageChunk {
  const message = new AIMessageChunk({
    content: left.content,
    additional_kwargs: { ...(left.thought !== "" && { reasoning_content: left.thought }), ...keepAnswer(turn) },
    // In the words of OpenAI's API, which most readers of LangChain's messages know.
    response_metadata: { finish_reason: turn.finishReason.replace("-", "_"), model_name: turn.modelId },
    tool_call_chunks: toolCallsOf(turn).map((call, index) => ({
      type: "tool_call_chunk" as const,
      index,
      id: call.id,
      name: call.name,
      args: argumentsOf(call),
    })),
  });
  // Not a field above: the types of LangChain come to `undefined` there.
  return Object.assign(message, { usage_metadata: toUsage(turn.usage) });
}

/**
 * LangChain completes arguments that were cut off, and runs the call. No beginning of JSON starts like this, so a broken
 * call stays what it is: an invalid one, with what came of its arguments.
 */
function argumentsOf({ input, broken }: TurnToolCall): string {
  switch (broken) {
    case undefined:
      return input;
    case "cut":
      return `cut off: ${input}`;
    case "unparsable":
      return `unreadable: ${input}`;
    default:
      return broken satisfies never;
  }
}

function toUsage(usage: TokenUsage): UsageMetadata {
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_token_details: {
      ...(cachedTokens !== undefined && { cache_read: cachedTokens }),
      ...(cacheWriteTokens !== undefined && { cache_creation: cacheWriteTokens }),
    },
    output_token_details: { ...(reasoningTokens !== undefined && { reasoning: reasoningTokens }) },
  };
}

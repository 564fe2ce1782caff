import type { FailureError } from "../../base/index.ts";
import { type ModelTurn, endsWithTextCall, modelFailure, textOfTurn, toolCallsOf } from "../../model/index.ts";
import type { ConversationMessage } from "../events/message.ts";
import type { AgentRun } from "../run/agent-run.ts";
import type { LoopConversation } from "./agent-loop.ts";
import type { ForcedAnswer } from "./forced-answer.ts";

/** The text of a response that calls no tools. */
interface LoopAnswer {
  readonly text: string;
  /** The text is a call of an offered tool. */
  readonly isCall: boolean;
}

/** The answer in a response; undefined if it has no text. Text beside a call is not an answer. */
export function readAnswer(turn: ModelTurn, { tools }: LoopConversation): LoopAnswer | undefined {
  if (toolCallsOf(turn).length > 0) return undefined;
  const text = textOfTurn(turn).trim();
  if (text === "") return undefined;
  const isCall = tools !== undefined && text.includes("<tool_call>") && endsWithTextCall(text, tools.definitions);
  return { text, isCall };
}

/** Adds notices if an answer is incomplete, and returns its text. */
export function noticeEnd(run: AgentRun, { finishReason }: ModelTurn, { text, isCall }: LoopAnswer): string {
  if (finishReason === "length") run.notice({ code: "answer_cut_off", params: {} });
  if (finishReason === "content-filter") run.notice({ code: "answer_filtered", params: {} });
  if (isCall) run.notice({ code: "answer_has_call", params: {} });
  return text;
}

/** The message to a model that wrote a call as text. */
export function correction(must: ForcedAnswer | undefined): ConversationMessage {
  const next =
    must === undefined
      ? "Call the tool through the function-calling interface, or answer."
      : "No more tools can be called. Answer with what you have.";
  const text = `The tool call in your message was not made: you wrote it as text. ${next}`;
  return { role: "user", content: [{ type: "text", text }] };
}

/** Circumstances of a request that got no answer. */
interface NoAnswerCause {
  readonly must: ForcedAnswer | undefined;
  /** The model called tools when none were available. */
  readonly insists: boolean;
}

/** The failure of a request that got no answer. */
export function noAnswer(
  { maxRounds }: LoopConversation,
  { finishReason, modelId }: ModelTurn,
  why: NoAnswerCause,
): FailureError {
  const label = `the model ${JSON.stringify(modelId)}`;
  if (finishReason === "content-filter") {
    return modelFailure("refused", `${label} refused to answer; change the prompt`);
  }
  const wants = why.insists ? "still called tools, and answered nothing" : "answered nothing";
  if (why.must?.isBare === true) {
    return modelFailure("budget_exceeded", `the budget was nearly used up, and ${label} ${wants}; raise the budget`);
  }
  if (finishReason === "length") {
    return modelFailure("cut_off", `${label} used all its tokens before it produced any text; raise max_tokens`);
  }
  const rounds = `${maxRounds} round${maxRounds === 1 ? "" : "s"}`;
  const how = why.insists
    ? `still called tools after ${rounds}, and answered nothing; raise max_rounds`
    : "answered nothing, twice";
  return modelFailure("invalid_output", `${label} ${how}`);
}

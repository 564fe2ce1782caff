import { isFailureError, type FailureError } from "../../base/index.ts";
import {
  type ModelTurn,
  toAssistantMessage,
  toolCallsOf,
  endsWithTextCall,
  modelFailure,
  textOfTurn,
  type Budget,
  type TokenUsage,
} from "../../model/index.ts";
import type { TurnRef } from "../events/agent-event.ts";
import type { AgentNotice } from "../events/agent-notice.ts";
import type { RunProgram } from "../../run/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { type TurnRequest, isRequestRejected, requestModel } from "./request-model.ts";
import { fitsContextWindow, clearOldResults, removeImages } from "./context-window.ts";
import type { ResolvedToolCall } from "./resolve-tool-calls.ts";
import { type ConversationMessage, textMessage } from "../events/message.ts";
import { offerRegisteredTools } from "./choose-tools.ts";
import type { OfferedTools } from "../run/offered-tools.ts";
import { pendingResultPart } from "./tool-result-part.ts";
import { type TurnCalls, runToolCalls } from "./run-tool-calls.ts";
import { summarizeHistory, summaryTurnRef } from "./summarize-history.ts";

/** A conversation with a model that may call tools. */
export interface LoopConversation {
  /** Part of the runner's work; together with the round it identifies events. */
  readonly part: string;
  readonly system: string;
  /** Sent before the messages, and not part of the conversation: content that is the same for every prompt. */
  readonly preface?: readonly ConversationMessage[];
  /** Grows with each message. */
  readonly messages: ConversationMessage[];
  readonly tools: OfferedTools | undefined;
  /** Maximum number of rounds with tool calls; then the model has to answer. */
  readonly maxRounds: number;
}

/**
 * The agent loop: sends a request to the model, runs the tools it calls, and repeats this with their results until it
 * answers. The loop always ends: with an answer, at the limit of rounds, after rounds without a new call, when the
 * budget of the run is used up, or with a failure that states which of these.
 */
export function* runAgentLoop(run: AgentRun, conversation: LoopConversation): RunProgram<string> {
  const { part, messages } = conversation;
  let progress: LoopProgress = { round: 1, stale: 0, last: undefined };
  let must: ForcedAnswer | undefined;
  let nudged = false;
  let insists = false;
  let corrected = false;
  for (; ; progress = { ...progress, round: progress.round + 1 }) {
    must ??= forceAnswer(run, conversation, progress);
    const turnRef = { part, round: progress.round };
    const turn = yield* requestWithinContext(run, conversation, { turnRef, must, nudged });
    // An empty message is not an answer, and services reject it in the history.
    const message = toAssistantMessage(turn);
    if (turn.content.some(hasContent)) messages.push(message);
    const calls: readonly ResolvedToolCall[] = toolCallsOf(turn);
    if (calls.some(({ resolution }) => resolution !== undefined)) {
      const parsed = parsedInputs(message);
      const allKnown = yield* runRequestedCalls(run, conversation, { turnRef, calls, parsed });
      progress = { ...progress, stale: allKnown ? progress.stale + 1 : 0, last: turn.usage };
      nudged = false;
      continue;
    }
    const answer = readAnswer(turn, conversation);
    if (answer !== undefined) {
      if (corrected || !answer.isCall) return noticeEnd(run, turn, answer);
      corrected = true;
      messages.push(correction(must));
      continue;
    }
    refuseCalls(run, conversation, turn);
    insists ||= requestedTools(turn);
    if (nudged || !canRequestAgain(run, must, turn)) throw noAnswer(conversation, turn, { must, insists });
    nudged = true;
    messages.push(textMessage(nudge));
  }
}

/**
 * Returns the reason why the model has to answer now, and notifies the user of it; a notice is not needed without tools
 * or in a cancelled run.
 */
function forceAnswer(run: AgentRun, conversation: LoopConversation, progress: LoopProgress): ForcedAnswer | undefined {
  const must = checkForcedAnswer(run.budget, conversation.maxRounds, progress);
  if (must?.notice !== undefined && conversation.tools !== undefined && !run.isCancelled) run.notice(must.notice);
  return must;
}

/**
 * Runs the calls of the last message. Each call has a result in the conversation at any time, even if the run stops in
 * between: until it finishes, a placeholder. True if none of the calls was new.
 */
function* runRequestedCalls(
  run: AgentRun,
  { messages, tools }: LoopConversation,
  { turnRef, calls, parsed }: Pick<TurnCalls, "turnRef" | "calls" | "parsed">,
): RunProgram<boolean> {
  const open = calls.map(pendingResultPart);
  messages.push({ role: "tool", content: open });
  const onPart = (part: (typeof open)[number], index: number): void => void (open[index] = part);
  const { parts, allKnown } = yield* runToolCalls(run, { turnRef, calls, parsed, offered: tools, onPart });
  messages[messages.length - 1] = { role: "tool", content: parts };
  return allKnown;
}

/** The arguments of the calls in a message, so that they are not parsed twice. */
function parsedInputs({ content }: ReturnType<typeof toAssistantMessage>): unknown[] {
  const inputs: unknown[] = [];
  for (const part of content) if (part.type === "tool-call") inputs.push(part.input);
  return inputs;
}

/** Reasoning alone is not content. */
function hasContent(part: ModelTurn["content"][number]): boolean {
  return part.type === "tool-call" || (part.type === "text" && part.text !== "");
}

const nudge = "You gave no answer. Answer the question now, as text, with what you know.";

interface RoundRequest {
  readonly turnRef: TurnRef;
  /** Reason why it may call no tools; undefined while it may. */
  readonly must: ForcedAnswer | undefined;
  /** The model did not answer the previous request. */
  readonly nudged?: boolean;
}

/**
 * Makes a model request. If the service rejects it as too long, retries once with fewer old results; if it rejects a
 * request with images of tools as malformed, retries once without them.
 */
export function* requestWithinContext(
  run: AgentRun,
  conversation: LoopConversation,
  { turnRef, must, nudged = false }: RoundRequest,
): RunProgram<ModelTurn> {
  const { system, preface = [], messages, tools } = conversation;
  offerRegisteredTools(run, tools);
  if (!fitsContextWindow(run, conversation) || run.hasRecorded(summaryTurnRef(turnRef)))
    yield* fitContextWindow(run, conversation, turnRef);
  const isBare = must !== undefined && (nudged || must.isBare);
  const request = (): TurnRequest => ({
    // A model that was offered no tools needs no notice that there are no more.
    system: must === undefined || tools === undefined ? system : `${system}\n\n${must.instruction}`,
    messages: preface.length === 0 ? messages : [...preface, ...messages],
    tools: isBare ? undefined : tools,
    toolChoice: must === undefined ? "auto" : "none",
  });
  try {
    return yield* requestModel(run, turnRef, request());
  } catch (error) {
    const again = { ...turnRef, part: `${turnRef.part}~` };
    const notice = shortenRejected(run, conversation, { error, again });
    if (notice === undefined) throw error;
    run.notice(notice);
    return yield* requestModel(run, again, request());
  }
}

/** Removes from a conversation the content that the service may have rejected; returns a notice if it removed any. */
function shortenRejected(
  run: AgentRun,
  conversation: LoopConversation,
  { error, again }: { readonly error: unknown; readonly again: TurnRef },
): AgentNotice | undefined {
  if (isFailureError(error) && error.reason === "too_long") {
    return clearOldResults(run, conversation, "more") || run.hasRecorded(again)
      ? { code: "results_cleared", params: {} }
      : undefined;
  }
  return isRequestRejected(error) && removeImages(conversation) ? { code: "images_removed", params: {} } : undefined;
}

/**
 * Shortens a conversation for its next model request: clears old results first, then summarizes old messages. If the
 * journal has the request, it determines whether a summary preceded it.
 */
export function* fitContextWindow(run: AgentRun, conversation: LoopConversation, turnRef: TurnRef): RunProgram<void> {
  if (!fitsContextWindow(run, conversation)) clearOldResults(run, conversation, "default");
  const isShort = run.hasRecorded(turnRef) || fitsContextWindow(run, conversation);
  if (!isShort || run.hasRecorded(summaryTurnRef(turnRef))) yield* summarizeHistory(run, conversation, turnRef);
}

/**
 * Answers the calls of a service that calls a tool despite `toolChoice: none`: text beside such a call is not an
 * answer.
 */
function refuseCalls(run: AgentRun, { messages, maxRounds }: LoopConversation, turn: ModelTurn): void {
  if (toolCallsOf(turn).length === 0) return;
  messages.push(unanswered(turn));
  if (maxRounds === 0) run.notice({ code: "tools_not_allowed", params: {} });
}

/** True if the model called tools. If it was offered none, only the finish reason shows it. */
function requestedTools(turn: ModelTurn): boolean {
  return turn.finishReason === "tool-calls" || toolCallsOf(turn).length > 0;
}

/** False if the budget forced the answer and does not suffice for another request. */
function canRequestAgain(
  { budget }: AgentRun,
  must: ForcedAnswer | undefined,
  { finishReason, usage }: ModelTurn,
): boolean {
  return finishReason !== "content-filter" && (must?.isBare !== true || budget.canAfford(1, usage));
}

/** Each call needs a result in the conversation. */
function unanswered(turn: ModelTurn): ConversationMessage {
  const value = "This was not run: no more tools can be called. Answer with what you have.";
  return {
    role: "tool",
    content: toolCallsOf(turn).map(({ id, name }) => ({
      type: "tool-result",
      toolCallId: id,
      toolName: name,
      output: { type: "error-text", value },
    })),
  };
}

/** The text of a response that calls no tools. */
interface LoopAnswer {
  readonly text: string;
  /** The text is a call of an offered tool. */
  readonly isCall: boolean;
}

/** The answer in a response; undefined if it has no text. Text beside a call is not an answer. */
function readAnswer(turn: ModelTurn, { tools }: LoopConversation): LoopAnswer | undefined {
  if (toolCallsOf(turn).length > 0) return undefined;
  const text = textOfTurn(turn).trim();
  if (text === "") return undefined;
  const isCall = tools !== undefined && text.includes("<tool_call>") && endsWithTextCall(text, tools.definitions);
  return { text, isCall };
}

/** Adds notices if an answer is incomplete, and returns its text. */
function noticeEnd(run: AgentRun, { finishReason }: ModelTurn, { text, isCall }: LoopAnswer): string {
  if (finishReason === "length") run.notice({ code: "answer_cut_off", params: {} });
  if (finishReason === "content-filter") run.notice({ code: "answer_filtered", params: {} });
  if (isCall) run.notice({ code: "answer_has_call", params: {} });
  return text;
}

/** The message to a model that wrote a call as text. */
function correction(must: ForcedAnswer | undefined): ConversationMessage {
  const next =
    must === undefined
      ? "Call the tool through the function-calling interface, or answer."
      : "No more tools can be called. Answer with what you have.";
  return textMessage(`The tool call in your message was not made: you wrote it as text. ${next}`);
}

/** Circumstances of a request that got no answer. */
interface NoAnswerCause {
  readonly must: ForcedAnswer | undefined;
  /** The model called tools when none were available. */
  readonly insists: boolean;
}

/** The failure of a request that got no answer. */
function noAnswer(
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

/** Reason why a model may call no more tools and has to answer. */
interface ForcedAnswer {
  /** Instruction for the model. */
  readonly instruction: string;
  /** Notice for the user; undefined if the user does not need one. */
  readonly notice: AgentNotice | undefined;
  /**
   * The budget is the reason: no tools are offered, to save their tokens, and the rest of the budget is for the answer.
   */
  readonly isBare: boolean;
}

/** Progress of a conversation. */
interface LoopProgress {
  /** Number of the next model request, from 1. */
  readonly round: number;
  /** Number of consecutive last rounds without a new call. */
  readonly stale: number;
  /** Usage of the last model request. */
  readonly last: TokenUsage | undefined;
}

/** Maximum number of consecutive rounds without a new call; then the model has to answer. */
const maxStaleRounds = 2;

/** Returns the reason why the model has to answer now; undefined while it may call tools. */
function checkForcedAnswer(budget: Budget, maxRounds: number, progress: LoopProgress): ForcedAnswer | undefined {
  const { round, stale, last } = progress;
  if (stale >= maxStaleRounds) {
    return must("The last calls brought nothing new.", { code: "no_progress", params: {} });
  }
  if (round > maxRounds) return must("No more tools can be called.", usedUp(maxRounds));
  // Enough for one more round with calls, and then the answer.
  const isShort = last !== undefined && !budget.canAfford(2, last);
  return isShort
    ? must("The budget is nearly used up.", { code: "budget_nearly_used_up", params: {} }, true)
    : undefined;
}

function must(why: string, notice: AgentNotice | undefined, isBare = false): ForcedAnswer {
  return { instruction: `${why} Answer now, with what you have.`, notice, isBare };
}

function usedUp(rounds: number): AgentNotice | undefined {
  return rounds === 0 ? undefined : { code: "rounds_used_up", params: { rounds } };
}

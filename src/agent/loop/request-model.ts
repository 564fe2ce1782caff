import { FailureError, isFailureError } from "../../base/index.ts";
import {
  type Model,
  type ModelCall,
  type ModelTurn,
  type TurnDelta,
  isModelMissing,
  noModel,
  imagesOf,
  textOfTurn,
  toolCallsOf,
  withImages,
} from "../../model/index.ts";
import { type CallOutcome, type RunProgram, performCall } from "../../run/index.ts";
import type { TurnRef } from "../events/agent-event.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { type ModelRequest, modelTool } from "../run/model-request.ts";
import { type RecordedTurn, resolveTurnCalls } from "./resolve-tool-calls.ts";
import type { ConversationMessage } from "../events/message.ts";
import { resultOutputText } from "../run/fence-results.ts";
import type { OfferedTools } from "../run/offered-tools.ts";
import { isAnswerPart } from "../events/part-kind.ts";
import { cutText, fenceData } from "../../text/index.ts";
import type { ToolResult } from "../../tool/index.ts";

/** Content of a model request. */
export interface TurnRequest {
  readonly system: string;
  readonly messages: readonly ConversationMessage[];
  readonly tools?: OfferedTools | undefined;
  readonly toolChoice?: "auto" | "none" | "required";
  readonly responseFormat?: ModelCall["responseFormat"];
}

/**
 * Makes one model request. Throws its failure, also if the budget of the run is used up. An outcome in the journal
 * counts even if the request would be different or refused now.
 */
export function* requestModel(run: AgentRun, turnRef: TurnRef, request: TurnRequest): RunProgram<ModelTurn> {
  if (run.model === undefined) throw noModel(`the runner ${run.spec.runner}`);
  const modelRequest = toModelRequest(run, run.model, request);
  if (modelRequest.refusal === undefined) run.emitStart({ type: "round-started", ...turnRef });
  const base = `${turnRef.part}.${turnRef.round}`;
  const work = {
    tool: modelTool,
    args: modelRequest,
    idempotencyKey: `${run.runId}/${base}`,
  };
  const onDelta = run.hasListener ? (delta: unknown) => emitDelta(run, turnRef, delta as TurnDelta) : undefined;
  run.partial = "";
  // By the tools available now; the journal has the response with its interpretation.
  const interpret = (result: ToolResult): ToolResult =>
    result.success ? { ...result, output: resolveTurnCalls(run, result.output as ModelTurn, request) } : result;
  const outcome = yield* performCall(`${base}#1`, work, { onProgress: onDelta, interpret });
  // A model request can be repeated safely, so its outcome is never in doubt.
  if (outcome.kind === "interrupted") throw new TypeError("a model request cannot be interrupted");
  const { result } = outcome;
  if (wentOut(outcome)) run.rounds++;
  if (!result.success) throw new FailureError(result.error.message, { ...result.error });
  // Created by the executor of the run, now or in an earlier process.
  const turn = result.output as RecordedTurn;
  if (turn.offered !== undefined) request.tools?.restore(turn.offered, (name) => run.engine.tools.get(name));
  run.partial = "";
  run.spent(turn.usage);
  for (const { modelId, failure } of turn.failedModels ?? []) {
    const params = { model: modelId, replacement: turn.modelId, message: failure.message };
    run.notice({ code: "model_replaced", params });
  }
  if (run.hasListener) emitRoundFinished(run, turnRef, turn);
  return turn;
}

/** True if a service rejects the request as malformed. Other rejections have their own reasons. */
export function isRequestRejected(error: unknown): boolean {
  return isFailureError(error) && error.reason === "provider_error" && / answered (?:400|422): /.test(error.message);
}

/** True if the request reached the model: not if it was refused, cancelled before, or had no available model. */
function wentOut({ result, effect }: CallOutcome): boolean {
  return result.success || (effect !== undefined && !isModelMissing(result.error));
}

function toModelRequest(run: AgentRun, { price }: Model, request: TurnRequest): ModelRequest {
  const { system, messages, tools, toolChoice = "auto", responseFormat } = request;
  if (tools !== undefined) run.noteDefinitions(tools.tools);
  const sent = tools === undefined || tools.size === 0 ? renderCallsAsText(messages) : messages.map(run.fenceResults);
  const prompt: ModelCall["prompt"] = system === "" ? [...sent] : [{ role: "system", content: system }, ...sent];
  const call: ModelCall = {
    prompt,
    ...(tools !== undefined && tools.size > 0 && { tools: tools.definitions, toolChoice: { type: toolChoice } }),
    ...(responseFormat !== undefined && { responseFormat }),
  };
  const maxOutputTokens = run.budget.answerTokens(price);
  return {
    model: run.spec.model,
    number: run.nextRequestNumber(),
    call: maxOutputTokens === undefined ? call : { ...call, maxOutputTokens },
    refusal: run.budget.refusal(call, price)?.toFailure(),
  };
}

function emitDelta(run: AgentRun, turnRef: TurnRef, delta: TurnDelta): void {
  switch (delta.kind) {
    case "text":
      if (isAnswerPart(turnRef.part)) run.partial += delta.text;
      return run.emit({ type: "text-delta", ...turnRef, text: delta.text });
    case "thinking":
      return run.emit({ type: "thinking-delta", ...turnRef, text: delta.text });
    case "restart":
      run.partial = "";
      return run.emit({ type: "round-restarted", ...turnRef });
    case "wait": {
      const { ms: waitMs, reason } = delta;
      return run.emit({ type: "round-waiting", ...turnRef, waitMs, ...(reason !== undefined && { reason }) });
    }
    case "tool-call":
      return undefined;
  }
}

function emitRoundFinished(run: AgentRun, turnRef: TurnRef, turn: ModelTurn): void {
  const toolCalls = toolCallsOf(turn).length;
  const { modelId: model, finishReason, usage } = turn;
  run.emit({ type: "round-finished", ...turnRef, model, finishReason, usage, toolCalls, text: textOfTurn(turn) });
}

/** Maximum length of one call or result. */
const maxLength = 4000;

/**
 * A conversation for a model request without tools: services reject calls in it if no tool is declared, so calls and
 * their results become text. Messages without calls stay unchanged.
 */
function renderCallsAsText(messages: readonly ConversationMessage[]): ConversationMessage[] {
  return messages.flatMap((message) => {
    if (message.role === "tool") return [gave(message)];
    if (message.role !== "assistant" || !message.content.some(({ type }) => type === "tool-call")) return [message];
    return assistantText(message);
  });
}

type Of<Role extends ConversationMessage["role"]> = Extract<ConversationMessage, { role: Role }>;

/** Reasoning is dropped with its calls: services reject a signature without the content that it signs. */
function assistantText({ content }: Of<"assistant">): ConversationMessage[] {
  const text = content
    .flatMap((part) => {
      if (part.type === "text") return part.text === "" ? [] : [part.text];
      return part.type === "tool-call" ? [`[called ${part.toolName} ${shortly(JSON.stringify(part.input))}]`] : [];
    })
    .join("\n");
  return text === "" ? [] : [{ role: "assistant", content: [{ type: "text", text }] }];
}

function gave({ content }: Of<"tool">): ConversationMessage {
  const results = content.filter((part) => part.type === "tool-result");
  const text = results.map((part) => fenceData(part.toolName, shortly(resultOutputText(part)))).join("\n");
  return { role: "user", content: [withImages({ type: "text", text }, results.flatMap(imagesOf))] };
}

function shortly(text: string): string {
  return cutText(text, maxLength).text;
}

/** True if a service reports that the model does not support tools. There is no code for it, only message texts. */
export function isToolsUnsupported(error: unknown): boolean {
  if (!isFailureError(error) || error.reason !== "provider_error") return false;
  const message = error.message.replace(modelName, "");
  return (
    error.toFailure().retry === "never" && /(?<![\w-])tools?\b|\btool_choice\b|\bfunction[ _-]?call/i.test(message)
  );
}

/** A model's name may mention tools, as `llama3-groq-tool-use` does; that says nothing about its service. */
const modelName = /^the model "(?:[^"\\]|\\.)*"/;

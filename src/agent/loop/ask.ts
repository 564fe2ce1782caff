import type { LanguageModelV4ToolChoice } from "@ai-sdk/provider";
import { FailureError } from "../../base/index.ts";
import {
  type Model,
  type ModelCall,
  type ModelTurn,
  type TurnDelta,
  isUnasked,
  noModel,
  textOfTurn,
  toolCallsOf,
} from "../../model/index.ts";
import type { CallOutcome } from "../../chain/index.ts";
import type { Place } from "../agent-event.ts";
import { type Flow, call } from "../flow/flow.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { type ModelQuestion, modelTool } from "../run/model-tool.ts";
import { inWords } from "./in-words.ts";
import { understood } from "./meaning.ts";
import type { ConversationMessage } from "../message.ts";
import type { OfferedTools } from "./offered-tools.ts";
import { isAnswerPart } from "../part-kind.ts";

/** What a model is asked. */
export interface Request {
  readonly system: string;
  readonly messages: readonly ConversationMessage[];
  readonly tools?: OfferedTools | undefined;
  readonly toolChoice?: LanguageModelV4ToolChoice["type"];
  readonly responseFormat?: ModelCall["responseFormat"];
}

/**
 * Asks the model once. Throws what went wrong, and when the budget of the run is used up. What the journal has of it
 * counts, whatever would be asked or refused now.
 */
export function* ask(run: AgentRun, place: Place, request: Request): Flow<ModelTurn> {
  if (run.model === undefined) throw noModel(`the runner ${run.spec.runner}`);
  const question = toQuestion(run, run.model, request);
  if (question.refusal === undefined) run.begins({ type: "round-started", ...place });
  const base = `${place.part}.${place.round}`;
  const work = {
    tool: modelTool,
    args: question,
    idempotencyKey: `${run.runId}/${base}`,
  };
  const onDelta = run.listens ? (delta: unknown) => tellDelta(run, place, delta as TurnDelta) : undefined;
  run.partial = "";
  const outcome = yield* call(`${base}#1`, work, onDelta);
  // Asking twice does no harm, so it is never left in doubt.
  if (outcome.kind === "interrupted") throw new TypeError("a question to a model cannot be interrupted");
  const { result } = outcome;
  if (wentOut(outcome)) run.rounds++;
  if (!result.success) throw new FailureError(result.error.message, { ...result.error });
  // Made by the executor of the run, now or in an earlier life of it.
  const turn = result.output as ModelTurn;
  run.partial = "";
  run.spent(turn.usage);
  for (const { modelId, failure } of turn.instead ?? []) {
    run.note(`${modelId} gave no answer, and ${turn.modelId} was asked instead: ${failure.message}`);
  }
  if (run.listens) tellTurn(run, place, turn);
  return turn;
}

/** One that was refused, was cancelled before, or had nobody to go to, is no question to the model. */
function wentOut({ result, effect }: CallOutcome): boolean {
  return result.success || (effect !== undefined && !isUnasked(result.error));
}

function toQuestion(run: AgentRun, { price }: Model, request: Request): ModelQuestion {
  const { system, messages, tools, toolChoice = "auto", responseFormat } = request;
  const said = tools === undefined || tools.size === 0 ? inWords(messages) : messages;
  const prompt: ModelCall["prompt"] = system === "" ? [...said] : [{ role: "system", content: system }, ...said];
  const call: ModelCall = {
    prompt,
    ...(tools !== undefined && tools.size > 0 && { tools: tools.definitions, toolChoice: choice(toolChoice) }),
    ...(responseFormat !== undefined && { responseFormat }),
  };
  const maxOutputTokens = run.budget.answerTokens(price);
  return {
    number: run.nextQuestion(),
    call: maxOutputTokens === undefined ? call : { ...call, maxOutputTokens },
    refusal: run.budget.refusal(call, price),
    understand: (turn) => understood(run, turn, request),
  };
}

function choice(type: LanguageModelV4ToolChoice["type"]): LanguageModelV4ToolChoice {
  return type === "tool" ? { type: "auto" } : { type };
}

function tellDelta(run: AgentRun, place: Place, delta: TurnDelta): void {
  switch (delta.kind) {
    case "text":
      if (isAnswerPart(place.part)) run.partial += delta.text;
      return run.tell({ type: "text-delta", ...place, text: delta.text });
    case "thinking":
      return run.tell({ type: "thinking-delta", ...place, text: delta.text });
    case "restart":
      run.partial = "";
      return run.tell({ type: "round-restarted", ...place });
    case "wait": {
      const { ms: waitMs, reason } = delta;
      return run.tell({ type: "round-waiting", ...place, waitMs, ...(reason !== undefined && { reason }) });
    }
    case "tool-call":
      return undefined;
  }
}

function tellTurn(run: AgentRun, place: Place, turn: ModelTurn): void {
  const toolCalls = toolCallsOf(turn).length;
  const { modelId: model, finishReason, usage } = turn;
  run.tell({ type: "round-finished", ...place, model, finishReason, usage, toolCalls, text: textOfTurn(turn) });
}

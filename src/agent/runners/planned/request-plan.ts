import { findToolsName } from "../../../hub/index.ts";
import { type ModelTurn, type TurnToolCall, textOfTurn, toolCallsOf } from "../../../model/index.ts";
import type { RunProgram } from "../../../run/index.ts";
import { type LoopConversation, requestWithinContext } from "../../loop/agent-loop.ts";
import type { ResolvedToolCall } from "../../loop/resolve-tool-calls.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { planTerms } from "./plan-terms.ts";

/** Calls that a model plans before it answers. */
export interface ToolPlan {
  readonly calls: readonly TurnToolCall[];
  /** The search terms in the prompt; empty if the model gave none. */
  readonly terms: readonly string[];
}

/** A plan with the response that it was parsed from. */
export interface PlanTurn extends ToolPlan {
  readonly turn: ModelTurn;
  readonly calls: readonly ResolvedToolCall[];
  /** It searches for tools first. */
  readonly looks: boolean;
}

/** Rules for a model that plans with its tools bound. */
export const planRules: readonly string[] = [
  "Do not answer the message yet. Call the tools that you need to answer it, all of them now and at once: their results " +
    "come back together, then you answer, and no more can be called. Call none where none is needed. Write nothing " +
    "besides, except one line `terms: …, …` with the words that matter most for a search, in the language of the notes.",
];

/** Added if the message has commands. */
export const commandsRule: string =
  "Commands such as @vault in the message are carried out without you: plan what is needed besides.";

/** Requests a plan once: which tools to call. */
export function* requestPlan(run: AgentRun, conversation: LoopConversation, round: number): RunProgram<PlanTurn> {
  const turn = yield* requestWithinContext(run, conversation, {
    turnRef: { part: conversation.part, round },
    must: undefined,
  });
  const calls: readonly ResolvedToolCall[] = toolCallsOf(turn);
  const looks = calls.some(({ name, broken }) => name === findToolsName && broken === undefined);
  return { turn, calls, looks, terms: planTerms(textOfTurn(turn), calls) };
}

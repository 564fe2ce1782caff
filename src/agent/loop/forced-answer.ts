import type { AgentNotice } from "../events/agent-notice.ts";
import type { Budget, TokenUsage } from "../../model/index.ts";

/** Reason why a model may call no more tools and has to answer. */
export interface ForcedAnswer {
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
export interface LoopProgress {
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
export function checkForcedAnswer(budget: Budget, maxRounds: number, progress: LoopProgress): ForcedAnswer | undefined {
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

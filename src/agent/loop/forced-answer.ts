import type { Budget, TokenUsage } from "../../model/index.ts";

/** Reason why a model may call no more tools and has to answer. */
export interface ForcedAnswer {
  /** Instruction for the model. */
  readonly instruction: string;
  /** Notice for the user; undefined if the user does not need one. */
  readonly notice: string | undefined;
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
    return must("The last calls brought nothing new.", "the last calls brought nothing new");
  }
  if (round > maxRounds) return must("No more tools can be called.", usedUp(maxRounds));
  // Enough for one more round with calls, and then the answer.
  const isShort = last !== undefined && !budget.canAfford(2, last);
  return isShort ? must("The budget is nearly used up.", "the budget was nearly used up", true) : undefined;
}

function must(why: string, note: string | undefined, isBare = false): ForcedAnswer {
  return { instruction: `${why} Answer now, with what you have.`, notice: note, isBare };
}

function usedUp(rounds: number): string | undefined {
  if (rounds === 0) return undefined;
  return rounds === 1
    ? "the one round of tool calls (max_rounds) was used up"
    : `all ${rounds} rounds of tool calls (max_rounds) were used up`;
}

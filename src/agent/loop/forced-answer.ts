import type { Budget, TokenUsage } from "../../model/index.ts";

/** Why a model may call no more tools, and has to answer. */
export interface Must {
  /** For the model. */
  readonly words: string;
  /** For people; undefined where it is no news to them. */
  readonly note: string | undefined;
  /** The budget is why: it is not even told of tools, which then cost nothing, and what is left is for the answer. */
  readonly isBare: boolean;
}

/** How far a conversation has come. */
export interface Progress {
  /** Which question is next, from 1. */
  readonly round: number;
  /** Rounds without one new call, the last ones. */
  readonly stale: number;
  /** What the last question used. */
  readonly last: TokenUsage | undefined;
}

/** So many rounds without one new call, and the model has to answer. */
const mostStaleRounds = 2;

/** Has the model to answer now? Undefined while it may call tools. */
export function mustAnswer(budget: Budget, maxRounds: number, progress: Progress): Must | undefined {
  const { round, stale, last } = progress;
  if (stale >= mostStaleRounds) {
    return must("The last calls brought nothing new.", "the last calls brought nothing new");
  }
  if (round > maxRounds) return must("No more tools can be called.", usedUp(maxRounds));
  // One more round with calls, and then the answer.
  const isShort = last !== undefined && !budget.carries(2, last);
  return isShort ? must("The budget is nearly used up.", "the budget was nearly used up", true) : undefined;
}

function must(why: string, note: string | undefined, isBare = false): Must {
  return { words: `${why} Answer now, with what you have.`, note, isBare };
}

function usedUp(rounds: number): string | undefined {
  if (rounds === 0) return undefined;
  return rounds === 1
    ? "the one round of tool calls (max_rounds) was used up"
    : `all ${rounds} rounds of tool calls (max_rounds) were used up`;
}

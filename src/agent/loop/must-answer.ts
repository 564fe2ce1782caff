import type { TokenUsage } from "../../model/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import type { Talk } from "./converse.ts";

/** Why a model may call no more tools, and has to answer. */
export interface Must {
  /** For the model. */
  readonly words: string;
  /** It is not even told of tools, which then cost nothing: what is left is for the answer. */
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

/** Has the model to answer now? Undefined while it may call tools. People are told why it may not. */
export function mustAnswer(run: AgentRun, { maxRounds, tools }: Talk, progress: Progress): Must | undefined {
  const { round, stale, last } = progress;
  const must = (why: string, note: string | undefined, isBare = false): Must => {
    // Who has no tools to begin with misses nothing, nor does a run that is over.
    if (note !== undefined && tools !== undefined && !run.isCancelled)
      run.note(`${note}, so the model had to answer with what it had`);
    return { words: `${why} Answer now, with what you have.`, isBare };
  };
  if (stale >= mostStaleRounds) {
    return must("The last calls brought nothing new.", "the last calls brought nothing new");
  }
  if (round > maxRounds) return must("No more tools can be called.", usedUp(maxRounds));
  // One more round with calls, and then the answer.
  const isShort = last !== undefined && !run.budget.carries(2, last);
  return isShort ? must("The budget is nearly used up.", "the budget was nearly used up", true) : undefined;
}

function usedUp(rounds: number): string | undefined {
  if (rounds === 0) return undefined;
  return rounds === 1
    ? "the one round of tool calls (max_rounds) was used up"
    : `all ${rounds} rounds of tool calls (max_rounds) were used up`;
}

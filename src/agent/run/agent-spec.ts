import type { BudgetLimits } from "../../model/index.ts";

/** How an agent works. Plain data, kept with each of its runs: one that is taken up again goes on as it began. */
export interface AgentSpec {
  readonly runner: string;
  /** The model's name in the workspace; the default one where absent. */
  readonly model?: string;
  /** Instructions of the user's own, before everything else. */
  readonly instructions?: string;
  /** Rounds with tool calls. */
  readonly maxRounds: number;
  /** Tool calls of one round at the same time. */
  readonly maxParallel: number;
  /** Tokens of a whole run, in and out. */
  readonly tokenBudget?: number;
  /** What a run may cost, in the currency of the prices. */
  readonly costBudget?: number;
  /** Tokens of one question to the model with its answer: one that takes more is the last. */
  readonly callTokenBudget?: number;
  /** What one question with its answer may cost. */
  readonly callCostBudget?: number;
  /** About so many tokens of a request may be tool definitions; more tools are found with `find_tools`. */
  readonly toolTokens: number;
  /** A tool's result above this is shown as a view, in characters. */
  readonly viewChars: number;
  /** What a request may take in all, by estimate; older results are cleared before that. */
  readonly contextTokens: number;
  /** Only tools whose names match one of these; all where absent. */
  readonly tools?: readonly string[];
  /** Tools whose output nobody outside has a say in, besides those that are `pure`. */
  readonly trusted: readonly string[];
  /** For the runner, such as the folder of a project. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** What holds where nothing else is said. */
export const agentDefaults: Omit<AgentSpec, "runner"> = {
  maxRounds: 4,
  maxParallel: 5,
  toolTokens: 4000,
  viewChars: 8000,
  contextTokens: 100_000,
  trusted: [],
};

/** What a run may use. */
export function budgetOf({ tokenBudget, costBudget, callTokenBudget, callCostBudget }: AgentSpec): BudgetLimits {
  return { tokens: tokenBudget, cost: costBudget, perCall: { tokens: callTokenBudget, cost: callCostBudget } };
}

/** An image in a question. */
export interface QuestionImage {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

import type { BudgetLimits } from "../../model/index.ts";

/** Configuration of an agent. Plain data, persisted with each run, so that a resumed run continues as it started. */
export interface AgentSpec {
  readonly runner: string;
  /** The model's name in the workspace. Default: the default model. */
  readonly model?: string;
  /** Custom instructions of the user, before all other instructions. */
  readonly instructions?: string;
  /** Maximum number of rounds with tool calls. */
  readonly maxRounds: number;
  /** Maximum number of concurrent tool calls in one round. */
  readonly maxParallel: number;
  /** Maximum tokens of a whole run, input and output. */
  readonly tokenBudget?: number;
  /** Maximum cost of a run, in the currency of the prices. */
  readonly costBudget?: number;
  /** Token limit of one model request with its response: a request that takes more is the last. */
  readonly callTokenBudget?: number;
  /** Maximum cost of one model request with its response. */
  readonly callCostBudget?: number;
  /** Approximate maximum of tokens for tool definitions in a request; further tools are found with `find_tools`. */
  readonly toolDefinitionTokens: number;
  /** Results longer than this number of characters are shown as a view. */
  readonly resultChars: number;
  /** Estimated maximum of tokens in a request; older results are cleared before it is reached. */
  readonly contextTokens: number;
  /** Only tools whose names match one of these patterns. Default: all. */
  readonly tools?: readonly string[];
  /** Tools whose output is trusted, in addition to `pure` tools. */
  readonly trustedTools: readonly string[];
  /** Options of the runner, such as the folder of a project. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Default configuration. */
export const agentDefaults: Omit<AgentSpec, "runner"> = {
  maxRounds: 4,
  maxParallel: 5,
  toolDefinitionTokens: 4000,
  resultChars: 8000,
  contextTokens: 100_000,
  trustedTools: [],
};

/** Budget limits of a run. */
export function budgetOf({ tokenBudget, costBudget, callTokenBudget, callCostBudget }: AgentSpec): BudgetLimits {
  return { tokens: tokenBudget, cost: costBudget, perCall: { tokens: callTokenBudget, cost: callCostBudget } };
}

/** An image in a prompt. */
export interface PromptImage {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

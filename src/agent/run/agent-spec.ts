import type { BudgetLimits } from "../../model/index.ts";
import type { OptionsOf } from "../../schema/index.ts";

/** Settings of `agent:` in `windlass.yaml`. */
export const agentTable = {
  runner: {
    type: "text",
    choices: ["autonomous", "planned", "vault", "project", "crew", "llm"],
    default: "autonomous",
    flag: "NAME",
    about: "Runner that decides how the model uses tools.",
  },
  model: {
    type: "text",
    format: "model",
    defaultText: "default",
    flag: "NAME",
    about: "Name of a model under models:.",
  },
  instructions: { type: "text", about: "Instructions at the start of the system prompt." },
  maxRounds: {
    type: "whole",
    default: 4,
    flag: "N",
    about: "Maximum rounds of tool calls before the model must answer.",
  },
  maxParallel: { type: "count", default: 5, about: "Maximum concurrent tool calls in one round." },
  tokenBudget: {
    type: "count",
    defaultText: "no limit",
    about: "Maximum tokens for one prompt, all model requests together.",
  },
  costBudget: {
    type: "number",
    above: 0,
    defaultText: "no limit",
    about: "Maximum cost of one prompt, in the currency of the prices under models:.",
  },
  callTokenBudget: {
    type: "count",
    defaultText: "no limit",
    about: "Maximum input and output tokens of one model request; a response that exceeds it is the last.",
  },
  callCostBudget: {
    type: "number",
    above: 0,
    defaultText: "no limit",
    about: "Maximum cost of one model request; a response that exceeds it is the last.",
  },
  toolDefinitionTokens: {
    type: "count",
    default: 4_000,
    about: "Maximum tokens of tool definitions in a request; the model finds further tools with find_tools.",
  },
  resultChars: { type: "count", default: 8_000, about: "Maximum characters of one tool result in a request." },
  contextTokens: {
    type: "count",
    default: 100_000,
    about: "Maximum tokens of a whole request; older results are dropped first.",
  },
  tools: {
    type: "list",
    title: "a list of names",
    tools: { use: "choice", globs: true },
    defaultText: "all tools",
    about: "Names of the tools that the model may use; * is a wildcard.",
  },
  trustedTools: {
    type: "list",
    title: "a list of names",
    tools: { use: "trust", globs: true },
    needsTrust: true,
    default: [],
    about: "Tools whose results are trusted. After any other result, destructive calls need approval.",
  },
  options: { type: "map", about: "Options of the runner, such as the folder of a project." },
} as const;

/** Configuration of an agent. Plain data, persisted with each run, so that a resumed run continues as it started. */
export interface AgentSpec extends Omit<OptionsOf<typeof agentTable>, "runner"> {
  /** A built-in runner, or a custom one. */
  readonly runner: string;
}

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

import { runnerNames } from "../agent/index.ts";
import type { JsonSchema } from "../schema/index.ts";
import { toRunnerOptions } from "./runner-settings.ts";

/** `agent:` of a `windlass.yaml`, as its schema guarantees it. */
export interface AgentFile {
  readonly runner?: string;
  readonly model?: string;
  readonly instructions?: string;
  readonly max_rounds?: number;
  readonly max_parallel?: number;
  readonly token_budget?: number;
  readonly cost_budget?: number;
  readonly call_token_budget?: number;
  readonly call_cost_budget?: number;
  readonly tool_definition_tokens?: number;
  readonly result_chars?: number;
  readonly context_tokens?: number;
  readonly tools?: readonly string[];
  readonly trusted_tools?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Default options of the agents of a workspace; omitted ones have the defaults of agents. */
export interface AgentConfig {
  readonly runner: string;
  /** A name in `models:`. Default: `default`. */
  readonly model?: string;
  readonly instructions?: string;
  readonly maxRounds?: number;
  readonly maxParallel?: number;
  readonly tokenBudget?: number;
  readonly costBudget?: number;
  readonly callTokenBudget?: number;
  readonly callCostBudget?: number;
  readonly toolDefinitionTokens?: number;
  readonly resultChars?: number;
  readonly contextTokens?: number;
  readonly tools?: readonly string[];
  readonly trustedTools?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
}

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text };
const positive = { type: "integer", minimum: 1 };

/** Schema of `agent` in `windlass.yaml`. */
export const agentSchema: JsonSchema = {
  type: "object",
  additionalProperties: false,
  description: "Defaults of `windlass ask`, `windlass chat` and agents created in code.",
  properties: {
    runner: { enum: runnerNames, description: "Runner that decides how the model uses tools. Default: autonomous." },
    model: { ...text, description: "Name of a model under models:. Default: default." },
    instructions: { ...text, description: "Instructions at the start of the system prompt." },
    max_rounds: {
      type: "integer",
      minimum: 0,
      description: "Maximum rounds of tool calls before the model must answer. Default: 4.",
    },
    max_parallel: { ...positive, description: "Maximum concurrent tool calls in one round. Default: 5." },
    token_budget: {
      ...positive,
      description: "Maximum tokens for one prompt, all model requests together. Default: no limit.",
    },
    cost_budget: {
      type: "number",
      exclusiveMinimum: 0,
      description: "Maximum cost of one prompt, in the currency of the prices under models:. Default: no limit.",
    },
    call_token_budget: {
      ...positive,
      description:
        "Maximum input and output tokens of one model request; a response that exceeds it is the last. Default: no limit.",
    },
    call_cost_budget: {
      type: "number",
      exclusiveMinimum: 0,
      description: "Maximum cost of one model request; a response that exceeds it is the last. Default: no limit.",
    },
    tool_definition_tokens: {
      ...positive,
      description:
        "Maximum tokens of tool definitions in a request; the model finds further tools with find_tools. Default: 4,000.",
    },
    result_chars: { ...positive, description: "Maximum characters of one tool result in a request. Default: 8,000." },
    context_tokens: {
      ...positive,
      description: "Maximum tokens of a whole request; older results are dropped first. Default: 100,000.",
    },
    tools: { ...texts, description: "Names of the tools that the model may use; * is a wildcard. Default: all tools." },
    trusted_tools: {
      ...texts,
      description: "Tools whose results are trusted. After any other result, destructive calls need approval.",
    },
    options: { type: "object", description: "Options of the runner, such as the folder of a project." },
  },
};

/** Converts `agent:` of the file to options. */
export function toAgentConfig({ runner = "autonomous", options, ...file }: AgentFile = {}): AgentConfig {
  const camel = (key: string): string => key.replace(/_([a-z])/g, (_found, letter: string) => letter.toUpperCase());
  // The keys are the same, in camel case.
  const settings = Object.fromEntries(Object.entries(file).map(([key, value]) => [camel(key), value]));
  return { runner, ...settings, ...(options !== undefined && { options: toRunnerOptions(options) }) };
}

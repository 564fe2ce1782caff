import { runnerNames } from "../agent/index.ts";
import type { JsonSchema } from "../schema/index.ts";
import { toOptions } from "./runner-settings.ts";

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
  readonly tool_tokens?: number;
  readonly view_chars?: number;
  readonly context_tokens?: number;
  readonly tools?: readonly string[];
  readonly trusted?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
}

/** How the agents of a workspace work, where nothing else is asked for; what is absent is as agents have it by themselves. */
export interface AgentConfig {
  readonly runner: string;
  /** By its name in `models:`; the default one where absent. */
  readonly model?: string;
  readonly instructions?: string;
  readonly maxRounds?: number;
  readonly maxParallel?: number;
  readonly tokenBudget?: number;
  readonly costBudget?: number;
  readonly callTokenBudget?: number;
  readonly callCostBudget?: number;
  readonly toolTokens?: number;
  readonly viewChars?: number;
  readonly contextTokens?: number;
  readonly tools?: readonly string[];
  readonly trusted?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
}

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text };
const positive = { type: "integer", minimum: 1 };

/** What `agent` in `windlass.yaml` may say. */
export const agentSchema: JsonSchema = {
  type: "object",
  additionalProperties: false,
  description: "How `windlass ask`, `windlass chat` and agents in code work, where they are not told otherwise.",
  properties: {
    runner: { enum: runnerNames, description: "How the model uses tools; autonomous where absent." },
    model: { ...text, description: "A name in models:; default where absent." },
    instructions: { ...text, description: "What the model is told before everything else." },
    max_rounds: {
      type: "integer",
      minimum: 0,
      description: "Rounds of tool calls before the model has to answer; 4 where absent.",
    },
    max_parallel: { ...positive, description: "Tool calls of one round at once; 5 where absent." },
    token_budget: {
      ...positive,
      description: "Tokens that one question may use in all; without a limit where absent.",
    },
    cost_budget: {
      type: "number",
      exclusiveMinimum: 0,
      description: "What one question may cost, in the currency of the prices in models:.",
    },
    call_token_budget: {
      ...positive,
      description: "Tokens that the model may read and write at once; an answer that takes more is the last.",
    },
    call_cost_budget: {
      type: "number",
      exclusiveMinimum: 0,
      description: "What asking the model once may cost; an answer that costs more is the last.",
    },
    tool_tokens: {
      ...positive,
      description: "Tokens that the descriptions of tools may take; others are found with find_tools; 4,000.",
    },
    view_chars: { ...positive, description: "Characters of a result that the model sees at once; 8,000." },
    context_tokens: { ...positive, description: "Tokens of a whole request; older results give way; 100,000." },
    tools: { ...texts, description: "Names of the tools that the model may use, * for any letters; all where absent." },
    trusted: {
      ...texts,
      description:
        "Tools whose results do not count as from outside; after others, calls that may do harm are asked about.",
    },
    options: { type: "object", description: "What the runner itself wants to know, such as the folder of a project." },
  },
};

/** The settings that the file stands for. */
export function toAgent({ runner = "autonomous", options, ...file }: AgentFile = {}): AgentConfig {
  const camel = (key: string): string => key.replace(/_([a-z])/g, (_found, letter: string) => letter.toUpperCase());
  // The keys of the one are those of the other, written otherwise.
  const settings = Object.fromEntries(Object.entries(file).map(([key, value]) => [camel(key), value]));
  return { runner, ...settings, ...(options !== undefined && { options: toOptions(options) }) };
}

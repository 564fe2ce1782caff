import { type Account, internals } from "../../engine/index.ts";
import { type Budget, type BudgetLimits, type TokenUsage, addUsage, noTokens } from "../../model/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import type { AgentSpec } from "./agent-spec.ts";

/** Usage within a call: of each agent run under its id, of other tools under the key of the call. */
export type ModelUsage = Readonly<Record<string, TokenUsage>>;

/**
 * Account that model requests within one call of a run are charged to, by agents as tools and by tools that write:
 * their usage counts for that run, through any tools and chains in between.
 */
export class UsageAccount implements Account {
  readonly #budget: Budget;
  readonly #key: string;
  #uses: Map<string, () => TokenUsage> | undefined;

  /** @param budget Budget of the run that makes the call; `key` identifies the call in it. */
  constructor(budget: Budget, key: string) {
    this.#budget = budget;
    this.#key = key;
  }

  /** The account charged for model requests of a handler with this context; undefined if there is none. */
  static of(context: object): UsageAccount | undefined {
    const account = internals(context)?.account;
    return account instanceof UsageAccount ? account : undefined;
  }

  /**
   * Limits the configuration of a new agent run to the remaining budget. It is persisted with the run, so that a replay
   * uses the same limits.
   */
  limited(spec: AgentSpec): AgentSpec {
    const { tokens, cost } = this.#budget.remaining();
    return {
      ...spec,
      ...(tokens !== undefined && { tokenBudget: Math.min(tokens, spec.tokenBudget ?? Infinity) }),
      ...(cost !== undefined && { costBudget: Math.min(cost, spec.costBudget ?? Infinity) }),
    };
  }

  /** Opens the budget of an agent's run that starts or resumes here. */
  open(runId: string, limits: BudgetLimits): Budget {
    const part = this.#budget.createChild(runId, limits);
    this.#note(runId, () => part.used);
    return part;
  }

  /** Total usage of an agent's run, in this and earlier executions. */
  used(runId: string, usage: TokenUsage): void {
    this.#note(runId, () => usage);
  }

  /** Adds the usage of a model request made by a tool. */
  spend(usage: TokenUsage): void {
    const before = this.#uses?.get(this.#key)?.() ?? noTokens;
    this.used(this.#key, addUsage(before, usage));
  }

  /** Plain JSON; undefined if there was no model request. */
  get uses(): ModelUsage | undefined {
    return this.#uses && Object.fromEntries(Array.from(this.#uses, ([childId, used]) => [childId, used()]));
  }

  #note(childId: string, used: () => TokenUsage): void {
    (this.#uses ??= new Map()).set(childId, used);
  }
}

/** Adds the model usage to a result, so that the journal has it; a tool's own claim about it is ignored. */
export function withModelUsage(result: ToolResult, modelUse: ModelUsage | undefined): ToolResult {
  if (modelUse === undefined && result.meta["modelUse"] === undefined) return result;
  return { ...result, meta: { ...result.meta, modelUse } };
}

/** Usage set by {@link withModelUsage}, in this execution of the run or an earlier one. */
export function modelUsageOf({ meta }: ToolResult): ModelUsage | undefined {
  return meta["modelUse"] as ModelUsage | undefined;
}

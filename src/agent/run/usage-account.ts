import { type Account, accountOf } from "../../engine/index.ts";
import { type Budget, type BudgetLimits, type TokenUsage, addUsage, noTokens } from "../../model/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import type { AgentSpec } from "./agent-spec.ts";

/** What was used within a call: by each run of an agent under its id, by other tools under the key of the call. */
export type ModelUse = Readonly<Record<string, TokenUsage>>;

/**
 * On whose account models are asked within one call of a run, by agents that are tools and by tools that write:
 * whatever tools and chains there are between, it counts for that run.
 */
export class CallAccount implements Account {
  readonly #budget: Budget;
  readonly #key: string;
  #uses: Map<string, () => TokenUsage> | undefined;

  /** @param budget Of the run that makes the call, of which there is one under this key. */
  constructor(budget: Budget, key: string) {
    this.#budget = budget;
    this.#key = key;
  }

  /** Who pays for what a handler with this context asks; undefined where nobody counts. */
  static of(context: object): CallAccount | undefined {
    const account = accountOf(context);
    return account instanceof CallAccount ? account : undefined;
  }

  /** How an agent works that begins now: it may use no more than is left. Kept with its run, which is told again so. */
  limited(spec: AgentSpec): AgentSpec {
    const { tokens, cost } = this.#budget.left();
    return {
      ...spec,
      ...(tokens !== undefined && { tokenBudget: Math.min(tokens, spec.tokenBudget ?? Infinity) }),
      ...(cost !== undefined && { costBudget: Math.min(cost, spec.costBudget ?? Infinity) }),
    };
  }

  /** The budget of an agent's run that begins here or goes on. */
  open(runId: string, limits: BudgetLimits): Budget {
    const part = this.#budget.part(runId, limits);
    this.#note(runId, () => part.used);
    return part;
  }

  /** All that an agent's run has used in its lives, this one and those before. */
  used(runId: string, usage: TokenUsage): void {
    this.#note(runId, () => usage);
  }

  /** What a question has used that a tool asked. */
  spend(usage: TokenUsage): void {
    const before = this.#uses?.get(this.#key)?.() ?? noTokens;
    this.used(this.#key, addUsage(before, usage));
  }

  /** Plain JSON; undefined where nobody was asked. */
  get uses(): ModelUse | undefined {
    return this.#uses && Object.fromEntries(Array.from(this.#uses, ([who, used]) => [who, used()]));
  }

  #note(who: string, used: () => TokenUsage): void {
    (this.#uses ??= new Map()).set(who, used);
  }
}

/** A result with what was used for it, which the journal then has; what a tool itself says of that counts for nothing. */
export function withUse(result: ToolResult, modelUse: ModelUse | undefined): ToolResult {
  if (modelUse === undefined && result.meta["modelUse"] === undefined) return result;
  return { ...result, meta: { ...result.meta, modelUse } };
}

/** What {@link withUse} put there, in this life of the run or an earlier one. */
export function useOf({ meta }: ToolResult): ModelUse | undefined {
  return meta["modelUse"] as ModelUse | undefined;
}

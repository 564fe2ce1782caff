import type { FailureError } from "../base/index.ts";
import { estimateCall } from "./estimate-call.ts";
import type { ModelCall } from "./model.ts";
import { modelFailure } from "./model-reasons.ts";
import { type ModelPrice, type TokenUsage, addUsage, costed, noTokens } from "./token-usage.ts";

/** How much may be used. What is absent has no limit. */
export interface BudgetLimits {
  /** Tokens of all questions and answers together. */
  readonly tokens?: number | undefined;
  /** In the currency of the prices in the settings. A model without a price is not asked: nobody could keep to it. */
  readonly cost?: number | undefined;
  /** For one question with its answer. */
  readonly perCall?: Limit | undefined;
}

/** What a budget has to remember: plain JSON. */
export interface BudgetState {
  readonly used: TokenUsage;
  readonly calls: number;
  /** The most that one question has used. */
  readonly largest: TokenUsage;
}

/** A question, as far as its length goes. */
type Asked = Pick<ModelCall, "prompt" | "tools">;

/** Counts what is used, and says when no more may be. */
export interface Budget {
  readonly limits: BudgetLimits;
  readonly used: TokenUsage;
  /** Takes note of what a question used. */
  spend(usage: TokenUsage): void;
  /**
   * Why this question may not be asked; undefined where it may. Before the first answer its length is estimated, and the
   * failure says so; afterwards only what was used counts.
   */
  refusal(call: Asked, price?: ModelPrice): FailureError | undefined;
  /** Why nothing more may be asked, whatever it is; undefined while something is left. */
  spent(): FailureError | undefined;
  /** Is enough left for so many questions that use as much as this one did? */
  carries(questions: number, like: TokenUsage): boolean;
  /** The most tokens that an answer may have now; undefined where nothing limits it. */
  answerTokens(price?: ModelPrice): number | undefined;
  /** A budget of its own for a part of the work, whose use counts here too. */
  part(limits: BudgetLimits): Budget;
  toJSON(): BudgetState;
}

/**
 * A budget of tokens and money for a run, and for each question in it. Its state can be kept as JSON and taken up again.
 *
 * @example
 * ```ts
 * const budget = createBudget({ tokens: 100_000, cost: 0.5 });
 * const refusal = budget.refusal(call, model.price);
 * if (refusal !== undefined) throw refusal; // reason: budget_exceeded
 * budget.spend((await askTurn(model, call)).usage);
 * ```
 */
export function createBudget(limits: BudgetLimits, state?: BudgetState): Budget {
  return new CountedBudget(limits, { state });
}

class CountedBudget implements Budget {
  readonly limits: BudgetLimits;
  readonly #parent: Budget | undefined;
  #state: BudgetState;

  constructor(limits: BudgetLimits, from: { state?: BudgetState | undefined; parent?: Budget }) {
    this.limits = limits;
    this.#parent = from.parent;
    this.#state = from.state ?? { used: noTokens, calls: 0, largest: noTokens };
  }

  get used(): TokenUsage {
    return this.#state.used;
  }

  spend(usage: TokenUsage): void {
    const { used, calls, largest } = this.#state;
    this.#state = {
      used: addUsage(used, usage),
      calls: calls + 1,
      largest: totalOf(usage) > totalOf(largest) ? usage : largest,
    };
    this.#parent?.spend(usage);
  }

  refusal(call: Asked, price?: ModelPrice): FailureError | undefined {
    const first = this.#state.calls === 0 ? this.#firstRefusal(call, price) : undefined;
    return first ?? this.#spent() ?? this.#priceless(price) ?? this.#parent?.refusal(call, price);
  }

  spent(): FailureError | undefined {
    return this.#spent() ?? this.#parent?.spent();
  }

  #spent(): FailureError | undefined {
    const { used, largest } = this.#state;
    const { perCall = {} } = this.limits;
    if (isOver(largest, perCall)) return exceeded(largest, perCall, "one question used");
    return isSpent(used, this.limits) ? exceeded(used, this.limits, "the run has used") : undefined;
  }

  /** A limit of money holds nothing where nobody knows what is spent. */
  #priceless(price: ModelPrice | undefined): FailureError | undefined {
    const { cost, perCall } = this.limits;
    if (price !== undefined || (cost ?? perCall?.cost) === undefined) return undefined;
    const todo =
      "set its price (models: { NAME: { price: { input, output } } } for a million tokens; 0 where it is free)";
    return modelFailure(
      "no_price",
      `there is a cost budget, and the model has no price: ${todo}, or a token budget instead`,
    );
  }

  carries(questions: number, like: TokenUsage): boolean {
    const { used } = this.#state;
    const { tokens = Infinity, cost = Infinity } = this.limits;
    const fits =
      totalOf(used) + questions * totalOf(like) <= tokens && (used.cost ?? 0) + questions * (like.cost ?? 0) <= cost;
    return fits && this.#parent?.carries(questions, like) !== false;
  }

  /** Nobody has counted yet. */
  #firstRefusal(call: Asked, price: ModelPrice | undefined): FailureError | undefined {
    const { tokens, cost, perCall = {} } = this.limits;
    if ([tokens, cost, perCall.tokens, perCall.cost].every((limit) => limit === undefined)) return undefined;
    const guess = costed({ inputTokens: estimateCall(call), outputTokens: 0, estimated: true }, price);
    const limit = [this.limits, perCall].find((each) => isOver(guess, each));
    return limit && exceeded(guess, limit, "the question alone would use");
  }

  answerTokens(price?: ModelPrice): number | undefined {
    const { used } = this.#state;
    const { tokens = Infinity, cost = Infinity, perCall = {} } = this.limits;
    const money = Math.min(cost - (used.cost ?? 0), perCall.cost ?? Infinity);
    const affordable = price === undefined || price.output <= 0 ? Infinity : (money * 1_000_000) / price.output;
    const parent = this.#parent?.answerTokens(price) ?? Infinity;
    const most = Math.min(tokens - totalOf(used), perCall.tokens ?? Infinity, affordable, parent);
    return most === Infinity ? undefined : Math.max(1, Math.floor(most));
  }

  part(limits: BudgetLimits): Budget {
    return new CountedBudget(limits, { parent: this });
  }

  toJSON(): BudgetState {
    return this.#state;
  }
}

function totalOf({ inputTokens, outputTokens }: TokenUsage): number {
  return inputTokens + outputTokens;
}

interface Limit {
  readonly tokens?: number | undefined;
  readonly cost?: number | undefined;
}

function isOver(usage: TokenUsage, { tokens = Infinity, cost = Infinity }: Limit): boolean {
  return totalOf(usage) > tokens || (usage.cost ?? 0) > cost;
}

/** Nothing is left for another question. */
function isSpent(usage: TokenUsage, { tokens = Infinity, cost = Infinity }: Limit): boolean {
  return totalOf(usage) >= tokens || (usage.cost ?? 0) >= cost;
}

function exceeded(usage: TokenUsage, { tokens = Infinity, cost = Infinity }: Limit, what: string): FailureError {
  const isMoney = totalOf(usage) < tokens && (usage.cost ?? 0) >= cost;
  const amount = isMoney ? `${money(usage.cost ?? 0)} of ${money(cost)}` : `${totalOf(usage)} of ${tokens} tokens`;
  const guessed = usage.estimated === true ? ", as far as can be estimated" : "";
  const todo = `ask for less, or raise the ${isMoney ? "cost" : "token"} budget`;
  return modelFailure("budget_exceeded", `the budget is used up: ${what} ${amount}${guessed}; ${todo}`);
}

function money(amount: number): string {
  return String(Number(amount.toPrecision(4)));
}

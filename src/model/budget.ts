import type { FailureError } from "../base/index.ts";
import { estimateCall } from "./port/estimate-call.ts";
import type { ModelCall } from "./port/model.ts";
import { modelFailure } from "./port/model-reasons.ts";
import { type ModelPrice, type TokenUsage, addUsage, costed, noTokens, subtractUsage } from "./port/token-usage.ts";

/** Limits of a budget. An omitted limit is unlimited. */
export interface BudgetLimits {
  /** Tokens of all requests and responses together. */
  readonly tokens?: number | undefined;
  /** In the currency of the prices in the settings. A model without a price is refused because its cost is unknown. */
  readonly cost?: number | undefined;
  /** For one request with its response. */
  readonly perCall?: Limit | undefined;
}

/** The parts of a request that determine its length. */
type EstimatedRequest = Pick<ModelCall, "prompt" | "tools">;

/** Counts usage, and decides when no more is allowed. */
export interface Budget {
  readonly limits: BudgetLimits;
  readonly used: TokenUsage;
  /** Reserves usage for an in-flight request. Until its usage is known, it counts as the largest request so far. */
  reserve(): void;
  /** Records the usage of a request. */
  spend(usage: TokenUsage): void;
  /** Releases the reservation of a request that used nothing. */
  failed(): void;
  /**
   * The reason why this request is not allowed; undefined if it is. Before the first response the length of the request
   * is estimated, and the failure says so; afterwards only recorded usage counts.
   */
  refusal(call: EstimatedRequest, price?: ModelPrice): FailureError | undefined;
  /** The reason why no further request is allowed; undefined while part of the budget remains. */
  spent(): FailureError | undefined;
  /** True if the budget covers this number of requests of the same usage as `like`. */
  canAfford(requests: number, like: TokenUsage): boolean;
  /** Maximum tokens of a response now; undefined if nothing limits it. */
  answerTokens(price?: ModelPrice): number | undefined;
  /** The part available to children. The usage of the largest request so far is reserved for the final response. */
  remaining(): Pick<BudgetLimits, "tokens" | "cost">;
  /**
   * A separate budget for delegated work. Its requests are refused once this budget has nothing left for children, no
   * matter which child used it; its usage counts here only when it is settled. Only its in-flight request is reserved:
   * a larger reservation would let the first child starve the others.
   */
  createChild(id: string, limits: BudgetLimits): Budget;
  /** Reports the total usage of a child so far. Usage settled earlier is not counted twice; returns the difference. */
  settle(id: string, used: TokenUsage): TokenUsage;
}

/**
 * Creates a budget of tokens and money for a run, and for each request in it.
 *
 * @example
 * ```ts
 * const budget = createBudget({ tokens: 100_000, cost: 0.5 });
 * const refusal = budget.refusal(call, model.price);
 * if (refusal !== undefined) throw refusal; // reason: budget_exceeded
 * budget.spend((await requestTurn(model, call)).usage);
 * ```
 */
export function createBudget(limits: BudgetLimits): Budget {
  return new CountedBudget(limits);
}

const withAnswer = "with in-flight requests and its own response, the calling run uses";

class CountedBudget implements Budget {
  readonly limits: BudgetLimits;
  readonly #whole: CountedBudget | undefined;
  #used: TokenUsage = noTokens;
  #hasRequested = false;
  /** The largest usage of one request. */
  #largestUsage: TokenUsage = noTokens;
  /** Estimated usage of the first request. */
  #guess: TokenUsage = noTokens;
  /** Number of in-flight requests. */
  #inFlight = 0;
  /** Unsettled children. */
  #parts: Map<string, CountedBudget> | undefined;
  /** Usage settled per child; all of it is included in `#used`. */
  #settled: Map<string, TokenUsage> | undefined;

  constructor(limits: BudgetLimits, whole?: CountedBudget) {
    this.limits = limits;
    this.#whole = whole;
  }

  get used(): TokenUsage {
    return this.#used;
  }

  reserve(): void {
    this.#inFlight++;
  }

  failed(): void {
    // A replayed request was never reserved in this process.
    this.#inFlight = Math.max(0, this.#inFlight - 1);
  }

  spend(usage: TokenUsage): void {
    this.failed();
    this.#used = addUsage(this.#used, usage);
    this.#hasRequested = true;
    if (totalOf(usage) > totalOf(this.#largestUsage)) this.#largestUsage = usage;
  }

  refusal(call: EstimatedRequest, price?: ModelPrice): FailureError | undefined {
    const first = this.#hasRequested ? undefined : this.#firstRefusal(call, price);
    return first ?? this.spent() ?? this.#priceless(price) ?? this.#wholeSpent();
  }

  spent(): FailureError | undefined {
    const { perCall = {} } = this.limits;
    if (isOver(this.#largestUsage, perCall)) return exceeded(this.#largestUsage, perCall, "one request used");
    return isSpent(this.#used, this.limits) ? exceeded(this.#used, this.limits, "the run has used") : undefined;
  }

  /** Includes the current usage of sibling children, which run concurrently. */
  #wholeSpent(): FailureError | undefined {
    for (let whole = this.#whole; whole !== undefined; whole = whole.#whole) {
      const taken = whole.#taken();
      if (isSpent(taken, whole.limits)) return exceeded(taken, whole.limits, withAnswer);
    }
    return undefined;
  }

  /** Not available to children: usage of this budget and its children, plus the reserve for the final response. */
  #taken(): TokenUsage {
    return addUsage(this.#usedByAll(), this.#largestUsage);
  }

  #usedByAll(): TokenUsage {
    let used = this.#used;
    const each = this.#hasRequested ? this.#largestUsage : this.#guess;
    for (let out = 0; out < this.#inFlight; out++) used = addUsage(used, each);
    for (const [id, part] of this.#parts ?? []) used = addUsage(used, this.#unsettled(id, part.#usedByAll()));
    return used;
  }

  #unsettled(id: string, used: TokenUsage): TokenUsage {
    const before = this.#settled?.get(id);
    return before === undefined ? used : subtractUsage(used, before);
  }

  /** A cost limit cannot be enforced if the model has no price. */
  #priceless(price: ModelPrice | undefined): FailureError | undefined {
    if (price !== undefined || (this.limits.cost ?? this.limits.perCall?.cost) === undefined) return undefined;
    const todo = "set its price (models: { NAME: { price: { input, output } } } for a million tokens; 0 if it is free)";
    return modelFailure(
      "no_price",
      `there is a cost budget, but the model has no price: ${todo}, or use a token budget instead`,
    );
  }

  canAfford(requests: number, like: TokenUsage): boolean {
    const { tokens = Infinity, cost = Infinity } = this.limits;
    const used = this.#used;
    return totalOf(used) + requests * totalOf(like) <= tokens && (used.cost ?? 0) + requests * (like.cost ?? 0) <= cost;
  }

  /** Checks an estimate, because no usage has been counted yet. */
  #firstRefusal(call: EstimatedRequest, price: ModelPrice | undefined): FailureError | undefined {
    const { tokens, cost, perCall = {} } = this.limits;
    if ([tokens, cost, perCall.tokens, perCall.cost].every((limit) => limit === undefined)) return undefined;
    const guess = costed({ inputTokens: estimateCall(call), outputTokens: 0, estimated: true }, price);
    this.#guess = guess;
    const limit = [this.limits, perCall].find((each) => isOver(guess, each));
    return limit && exceeded(guess, limit, "the request alone would use");
  }

  answerTokens(price?: ModelPrice): number | undefined {
    const used = this.#used;
    const { tokens = Infinity, cost = Infinity, perCall = {} } = this.limits;
    const above = this.#leftAbove();
    const money = Math.min(cost - (used.cost ?? 0), perCall.cost ?? Infinity, above.cost);
    const affordable = price === undefined || price.output <= 0 ? Infinity : (money * 1_000_000) / price.output;
    const maxCount = Math.min(tokens - totalOf(used), perCall.tokens ?? Infinity, above.tokens, affordable);
    return maxCount === Infinity ? undefined : Math.max(1, Math.floor(maxCount));
  }

  /** The remaining part of all parent budgets. */
  #leftAbove(): { readonly tokens: number; readonly cost: number } {
    const min = { tokens: Infinity, cost: Infinity };
    for (let whole = this.#whole; whole !== undefined; whole = whole.#whole) {
      const { tokens = Infinity, cost = Infinity } = whole.remaining();
      min.tokens = Math.min(min.tokens, tokens);
      min.cost = Math.min(min.cost, cost);
    }
    return min;
  }

  remaining(): Pick<BudgetLimits, "tokens" | "cost"> {
    const { tokens, cost } = this.limits;
    if (tokens === undefined && cost === undefined) return {};
    const taken = this.#taken();
    return {
      tokens: tokens && Math.max(0, tokens - totalOf(taken)),
      cost: cost && Math.max(0, cost - (taken.cost ?? 0)),
    };
  }

  createChild(id: string, limits: BudgetLimits): Budget {
    const part = new CountedBudget(limits, this);
    (this.#parts ??= new Map()).set(id, part);
    return part;
  }

  settle(id: string, used: TokenUsage): TokenUsage {
    const more = this.#unsettled(id, used);
    (this.#settled ??= new Map()).set(id, used);
    this.#parts?.delete(id);
    this.#used = addUsage(this.#used, more);
    return more;
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

/** True if nothing remains for another request. */
function isSpent(usage: TokenUsage, { tokens = Infinity, cost = Infinity }: Limit): boolean {
  return totalOf(usage) >= tokens || (usage.cost ?? 0) >= cost;
}

function exceeded(usage: TokenUsage, { tokens = Infinity, cost = Infinity }: Limit, usedBy: string): FailureError {
  const isMoney = totalOf(usage) < tokens && (usage.cost ?? 0) >= cost;
  const amount = isMoney ? `${money(usage.cost ?? 0)} of ${money(cost)}` : `${totalOf(usage)} of ${tokens} tokens`;
  const guessed = usage.estimated === true ? ", estimated" : "";
  const todo = `request less, or raise the ${isMoney ? "cost" : "token"} budget`;
  return modelFailure("budget_exceeded", `the budget is used up: ${usedBy} ${amount}${guessed}; ${todo}`);
}

function money(amount: number): string {
  return String(Number(amount.toPrecision(4)));
}

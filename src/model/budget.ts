import type { FailureError } from "../base/index.ts";
import { estimateCall } from "./estimate-call.ts";
import type { ModelCall } from "./model.ts";
import { modelFailure } from "./model-reasons.ts";
import { type ModelPrice, type TokenUsage, addUsage, costed, noTokens, subtractUsage } from "./token-usage.ts";

/** How much may be used. What is absent has no limit. */
export interface BudgetLimits {
  /** Tokens of all questions and answers together. */
  readonly tokens?: number | undefined;
  /** In the currency of the prices in the settings. A model without a price is not asked: nobody could keep to it. */
  readonly cost?: number | undefined;
  /** For one question with its answer. */
  readonly perCall?: Limit | undefined;
}

/** A question, as far as its length goes. */
type Asked = Pick<ModelCall, "prompt" | "tools">;

/** Counts what is used, and says when no more may be. */
export interface Budget {
  readonly limits: BudgetLimits;
  readonly used: TokenUsage;
  /** A question goes out. Until it is known what it uses, others at the same work count on as much as one did before. */
  asks(): void;
  /** Takes note of what a question used. */
  spend(usage: TokenUsage): void;
  /** A question that went out has used nothing. */
  failed(): void;
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
  /** What may be used by others, with as much kept back as one question has used here: somebody has to answer. */
  left(): Pick<BudgetLimits, "tokens" | "cost">;
  /**
   * A budget of its own for a part of the work that others do. Its questions are refused when there is nothing left here
   * for others, whichever part has used it, but what it uses counts here only once it is settled, whenever that is told.
   * Nothing is set aside for it but for the question that it is asking: who begins first would leave nothing to others.
   */
  part(id: string, limits: BudgetLimits): Budget;
  /** Tells all that a part has used until now. What was told of it before is not counted again; gives the rest. */
  settle(id: string, used: TokenUsage): TokenUsage;
}

/**
 * A budget of tokens and money for a run, and for each question in it.
 *
 * @example
 * ```ts
 * const budget = createBudget({ tokens: 100_000, cost: 0.5 });
 * const refusal = budget.refusal(call, model.price);
 * if (refusal !== undefined) throw refusal; // reason: budget_exceeded
 * budget.spend((await askTurn(model, call)).usage);
 * ```
 */
export function createBudget(limits: BudgetLimits): Budget {
  return new CountedBudget(limits);
}

const withAnswer = "with the questions that are out and its own answer, the calling run takes";

class CountedBudget implements Budget {
  readonly limits: BudgetLimits;
  readonly #whole: CountedBudget | undefined;
  #used: TokenUsage = noTokens;
  #hasAsked = false;
  /** The most that one question has used. */
  #largest: TokenUsage = noTokens;
  /** What the first question uses, as far as can be told before. */
  #guess: TokenUsage = noTokens;
  /** Questions that are out. */
  #asking = 0;
  /** Those that are under way. */
  #parts: Map<string, CountedBudget> | undefined;
  /** What was told of parts, all of which counts. */
  #settled: Map<string, TokenUsage> | undefined;

  constructor(limits: BudgetLimits, whole?: CountedBudget) {
    this.limits = limits;
    this.#whole = whole;
  }

  get used(): TokenUsage {
    return this.#used;
  }

  asks(): void {
    this.#asking++;
  }

  failed(): void {
    // What is told again was never asked in this life.
    this.#asking = Math.max(0, this.#asking - 1);
  }

  spend(usage: TokenUsage): void {
    this.failed();
    this.#used = addUsage(this.#used, usage);
    this.#hasAsked = true;
    if (totalOf(usage) > totalOf(this.#largest)) this.#largest = usage;
  }

  refusal(call: Asked, price?: ModelPrice): FailureError | undefined {
    const first = this.#hasAsked ? undefined : this.#firstRefusal(call, price);
    return first ?? this.spent() ?? this.#priceless(price) ?? this.#wholeSpent();
  }

  spent(): FailureError | undefined {
    const { perCall = {} } = this.limits;
    if (isOver(this.#largest, perCall)) return exceeded(this.#largest, perCall, "one question used");
    return isSpent(this.#used, this.limits) ? exceeded(this.#used, this.limits, "the run has used") : undefined;
  }

  /** What other parts of the same work use right now counts, too: they go on at the same time. */
  #wholeSpent(): FailureError | undefined {
    for (let whole = this.#whole; whole !== undefined; whole = whole.#whole) {
      const taken = whole.#taken();
      if (isSpent(taken, whole.limits)) return exceeded(taken, whole.limits, withAnswer);
    }
    return undefined;
  }

  /** What is not for others: it is used, by whomever, or kept back for the answer. */
  #taken(): TokenUsage {
    return addUsage(this.#usedByAll(), this.#largest);
  }

  #usedByAll(): TokenUsage {
    let used = this.#used;
    const each = this.#hasAsked ? this.#largest : this.#guess;
    for (let out = 0; out < this.#asking; out++) used = addUsage(used, each);
    for (const [id, part] of this.#parts ?? []) used = addUsage(used, this.#unsettled(id, part.#usedByAll()));
    return used;
  }

  #unsettled(id: string, used: TokenUsage): TokenUsage {
    const before = this.#settled?.get(id);
    return before === undefined ? used : subtractUsage(used, before);
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
    const { tokens = Infinity, cost = Infinity } = this.limits;
    const used = this.#used;
    return (
      totalOf(used) + questions * totalOf(like) <= tokens && (used.cost ?? 0) + questions * (like.cost ?? 0) <= cost
    );
  }

  /** Nobody has counted yet. */
  #firstRefusal(call: Asked, price: ModelPrice | undefined): FailureError | undefined {
    const { tokens, cost, perCall = {} } = this.limits;
    if ([tokens, cost, perCall.tokens, perCall.cost].every((limit) => limit === undefined)) return undefined;
    const guess = costed({ inputTokens: estimateCall(call), outputTokens: 0, estimated: true }, price);
    this.#guess = guess;
    const limit = [this.limits, perCall].find((each) => isOver(guess, each));
    return limit && exceeded(guess, limit, "the question alone would use");
  }

  answerTokens(price?: ModelPrice): number | undefined {
    const used = this.#used;
    const { tokens = Infinity, cost = Infinity, perCall = {} } = this.limits;
    const above = this.#leftAbove();
    const money = Math.min(cost - (used.cost ?? 0), perCall.cost ?? Infinity, above.cost);
    const affordable = price === undefined || price.output <= 0 ? Infinity : (money * 1_000_000) / price.output;
    const most = Math.min(tokens - totalOf(used), perCall.tokens ?? Infinity, above.tokens, affordable);
    return most === Infinity ? undefined : Math.max(1, Math.floor(most));
  }

  /** What those leave that this is a part of. */
  #leftAbove(): { readonly tokens: number; readonly cost: number } {
    const least = { tokens: Infinity, cost: Infinity };
    for (let whole = this.#whole; whole !== undefined; whole = whole.#whole) {
      const { tokens = Infinity, cost = Infinity } = whole.left();
      least.tokens = Math.min(least.tokens, tokens);
      least.cost = Math.min(least.cost, cost);
    }
    return least;
  }

  left(): Pick<BudgetLimits, "tokens" | "cost"> {
    const { tokens, cost } = this.limits;
    if (tokens === undefined && cost === undefined) return {};
    const taken = this.#taken();
    return {
      tokens: tokens && Math.max(0, tokens - totalOf(taken)),
      cost: cost && Math.max(0, cost - (taken.cost ?? 0)),
    };
  }

  part(id: string, limits: BudgetLimits): Budget {
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

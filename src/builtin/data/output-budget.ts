import { dataFailure } from "./data-reasons.ts";
import { dataLimits } from "./data-limits.ts";

/** Counts the output of an operation while it is produced: a small input can require more than any memory holds. */
export class OutputBudget {
  #left: number;
  readonly #max: number;
  readonly #of: string;

  /** `of` is the unit that is counted. */
  constructor(max: number = dataLimits.out, of: "characters" | "values" = "characters") {
    this.#left = max;
    this.#max = max;
    this.#of = of;
  }

  /** Adds this amount; throws if the budget is exceeded. */
  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) {
      throw dataFailure("too_large", `the result would have more than ${this.#max} ${this.#of}; work on less data`);
    }
  }
}

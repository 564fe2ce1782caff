import { dataFailure } from "./data-reasons.ts";
import { dataLimits } from "./data-limits.ts";

/** Counts what an operation makes while it makes it: a small input can ask for more than any memory holds. */
export class OutputBudget {
  #left: number;
  readonly #most: number;
  readonly #of: string;

  /** `of` is what is counted. */
  constructor(most: number = dataLimits.out, of: "characters" | "values" = "characters") {
    this.#left = most;
    this.#most = most;
    this.#of = of;
  }

  /** Takes note of so many more. */
  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) {
      throw dataFailure("too_large", `the result would have more than ${this.#most} ${this.#of}; work on less data`);
    }
  }
}

import { dataFailure } from "./data-reasons.ts";
import { dataLimits } from "./data-limits.ts";

/** Counts what an operation makes while it makes it: a small input can ask for more than any memory holds. */
export class OutputBudget {
  #left: number;
  readonly #most: number;

  constructor(most: number = dataLimits.out) {
    this.#left = most;
    this.#most = most;
  }

  /** Takes note of so many characters, or values, more. */
  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) {
      throw dataFailure("too_large", `the result would be larger than ${this.#most} characters; work on less data`);
    }
  }
}

import { dataFailure } from "./data-reasons.ts";

/** Limits of one call, so that it ends within a second and fits into a result. */
export const dataLimits = {
  /** Characters of an input text. */
  textIn: 1_000_000,
  /** Characters of input JSON or CSV text. */
  jsonIn: 2_000_000,
  /** Characters of the output, approximately. */
  out: 4_000_000,
  /** Number of values in JSON data. */
  nodes: 200_000,
  /** Different keys of an output: JavaScript interns each of them, which takes the most time. */
  keys: 50_000,
  /** Levels of JSON data. */
  depth: 100,
  /** Parts of a path. */
  pathParts: 64,
  /** Items of a list of findings; further ones are dropped and marked. */
  items: 10_000,
  /** Steps to find one match: the size of the pattern times that of the text. */
  matchSteps: 30_000_000,
  /** Milliseconds to find all matches of a pattern. */
  matchMs: 1_000,
} as const;

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

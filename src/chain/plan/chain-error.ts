import { FailureError, brandPublic } from "../../base/index.ts";
import { type Problem, formatProblems } from "../../text/index.ts";

/**
 * A chain that cannot be planned, with everything that is wrong with it: as text in the message, as data in `problems`.
 *
 * @example
 * ```ts
 * const plan = await workspace.loadChain("chains/draft.yaml").catch((error) => {
 *   if (error instanceof ChainError) console.log(error.problems);
 * });
 * ```
 *
 * @see docs/guide/chains.md
 */
export class ChainError extends FailureError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], text: string | undefined) {
    const [first] = problems;
    super(
      // The text is that of the chain, whose problems come first; others may be about other files.
      formatProblems(problems, (file) => (file === first?.file ? text : undefined)),
      { code: "chain_invalid" },
    );
    this.name = "ChainError";
    this.problems = problems;
  }
}

/** True for a {@link ChainError}, of this or another copy of Windlass. */
export const isChainError: (value: unknown) => value is ChainError = brandPublic(ChainError, "chain_error");

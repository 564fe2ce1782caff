import { type Failure, failure } from "../../base/index.ts";
import { ExpressionError } from "../../expr/index.ts";

/** An expression that failed on the values of this run. Anything else that is thrown is a bug. */
export function expressionFailure(error: unknown, where: string): Failure {
  if (!(error instanceof ExpressionError)) throw error;
  const hint = error.hint === undefined ? "" : ` (${error.hint})`;
  return failure("expression_error", `${where}: ${error.message}${hint}`, { reason: error.fault });
}

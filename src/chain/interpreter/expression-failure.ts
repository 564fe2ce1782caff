import { type Failure, failure } from "../../base/index.ts";
import { isExpressionError } from "../../expr/index.ts";

/** Failure of an expression with the values of this run. Anything else that is thrown is a bug. */
export function expressionFailure(error: unknown, where: string): Failure {
  if (!isExpressionError(error)) throw error;
  const hint = error.hint === undefined ? "" : ` (${error.hint})`;
  return failure("expression_error", `${where}: ${error.message}${hint}`, { reason: error.fault });
}

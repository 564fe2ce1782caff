import { compiler } from "./compile-node.ts";
import { compileNames, compilePlainPath, namePathOf } from "./compile-path.ts";
import { type Evaluation, EvaluationFrame } from "./evaluation-frame.ts";
import { missing, type Scope } from "./scope.ts";
import { parseExpression } from "./parse-expression.ts";
import { type Reference, collectReferences } from "./reference.ts";
import { refuseSecrets } from "./secret-handle.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/** A compiled expression without its `${…}`. */
export interface Expression {
  readonly text: string;
  readonly references: readonly Reference[];
  /** The value, as JSON data, or {@link missing}; throws an `ExpressionError` if evaluation fails. */
  readonly evaluate: (scope: Scope, evaluation?: Evaluation) => unknown;
}

/**
 * Compiles a bare expression, such as `size(input.tags) > 2`. Throws an `ExpressionError`.
 *
 * @example
 * ```ts
 * compileExpression("input.tags.size + 1").evaluate({ input: { tags: ["a"] } }); // 2
 * ```
 */
export function compileExpression(text: string): Expression {
  const { node } = parseExpression(text);
  const references = collectReferences(node, text);
  refuseSecrets(references);
  return { text, references, evaluate: evaluator(node, text) };
}

/** Evaluates a node whose value may be missing. */
export function evaluator(node: SyntaxNode, text: string): Expression["evaluate"] {
  const path = text.slice(node.at, node.end);
  const names = namePathOf(node);
  if (names !== undefined) return compileNames(names, path);
  const plain = node.kind === "path" ? compilePlainPath(node) : undefined;
  if (plain === undefined) {
    const code = compiler(text).accepting(node);
    return (scope, evaluation) => code(new EvaluationFrame(scope, evaluation));
  }
  return (scope, evaluation) => {
    const value = plain(scope);
    if (value === missing) evaluation?.onMissing?.(path);
    return value;
  };
}

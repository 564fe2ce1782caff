import { evaluator } from "./compile-expression.ts";
import { ExpressionError } from "./expression-error.ts";
import type { Evaluation } from "./evaluation-frame.ts";
import { isFalsy } from "./is-equal.ts";
import { parseExpression } from "./parse-expression.ts";
import { type Reference, collectReferences } from "./reference.ts";
import type { Scope } from "./scope.ts";
import { refuseSecrets } from "./secret-handle.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/** A compiled condition. */
export interface Condition {
  readonly text: string;
  readonly references: readonly Reference[];
  /** True if the condition holds. Missing, null, false, 0, "" and the empty list do not. */
  readonly holds: (scope: Scope, evaluation?: Evaluation) => boolean;
}

/**
 * Compiles a condition: one `${…}`, or the expression alone. Throws an `ExpressionError`.
 *
 * @example
 * ```ts
 * compileCondition("${steps.search.output.size > 0}").holds({ steps: { search: { output: [1] } } }); // true
 * ```
 */
export function compileCondition(text: string): Condition {
  const node = parseCondition(text);
  const references = collectReferences(node, text);
  refuseSecrets(references);
  const evaluate = evaluator(node, text);
  return { text, references, holds: (scope, evaluation) => !isFalsy(evaluate(scope, evaluation)) };
}

function parseCondition(text: string): SyntaxNode {
  const start = text.length - text.trimStart().length;
  if (!text.startsWith("${", start)) return parseExpression(text).node;
  const { node, end } = parseExpression(text, { start: start + 2, inTemplate: true });
  if (text[end] !== "}")
    throw new ExpressionError("syntax", "the ${ is not closed", { at: start, end, hint: "add a }" });
  const rest = text.slice(end + 1);
  if (rest.trim() === "") return node;
  const at = end + 1 + rest.length - rest.trimStart().length;
  const hint = "put the whole condition into one ${…}";
  throw new ExpressionError("syntax", "a condition is one expression", { at, end: text.trimEnd().length, hint });
}

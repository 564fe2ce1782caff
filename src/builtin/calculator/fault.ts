import { type FailureCode, FailureError } from "../../base/index.ts";
import { displayWidth, showUnsafe } from "../../text/index.ts";

/** Reasons for which an expression has no result. The calculator's reference in the docs is generated from it. */
export const calculatorReasons = {
  syntax: { code: "validation_error", meaning: "The expression cannot be read." },
  too_long: { code: "validation_error", meaning: "The expression has too many characters." },
  too_deep: { code: "validation_error", meaning: "The expression nests too deep." },
  unknown_name: { code: "validation_error", meaning: "There is no constant or variable of this name." },
  unknown_function: { code: "validation_error", meaning: "There is no function of this name." },
  arity: { code: "validation_error", meaning: "A function got too few or too many arguments." },
  domain: { code: "execution_error", meaning: "An operation is not defined for its operands." },
  div_zero: { code: "execution_error", meaning: "A division by zero." },
  inexact: { code: "execution_error", meaning: "The result has more digits than a number can hold exactly." },
  overflow: { code: "execution_error", meaning: "A number is too large to be held." },
} as const;

calculatorReasons satisfies Record<string, { code: FailureCode; meaning: string }>;

/** The name of one reason in {@link calculatorReasons}. */
export type CalculatorReason = keyof typeof calculatorReasons;

/** A part of the expression, in UTF-16 units. */
export interface ExpressionSpan {
  readonly at: number;
  readonly length: number;
}

/** An error of an expression; the span is added by the caller that knows it. */
export class CalculatorError extends Error {
  readonly reason: CalculatorReason;
  readonly span: ExpressionSpan | undefined;

  constructor(reason: CalculatorReason, message: string, span?: ExpressionSpan) {
    super(message);
    this.reason = reason;
    this.span = span;
  }
}

export function isCalculatorError(value: unknown): value is CalculatorError {
  return value instanceof CalculatorError;
}

/** Number of characters of a long expression that are shown on either side of the error. */
const around = 40;

/** Converts the error to a failure that shows the position in the expression. */
export function toFailureError({ reason, message, span }: CalculatorError, expression: string): FailureError {
  const shown = span === undefined ? message : `${message}\n${frame(expression, span)}`;
  const { code } = calculatorReasons[reason];
  return new FailureError(shown, {
    code,
    reason,
    retry: "never",
    ...(code === "validation_error" && { issues: [{ path: ["expression"], code: reason, message }] }),
  });
}

/** Returns the expression, with a caret under the position of the error. */
function frame(expression: string, { at, length }: ExpressionSpan): string {
  const start = Math.max(0, at - around);
  const end = Math.min(expression.length, at + Math.max(length, around));
  const before = (start > 0 ? "…" : "") + showUnsafe(expression.slice(start, at));
  const marked = showUnsafe(expression.slice(at, Math.min(at + length, end)));
  const after = showUnsafe(expression.slice(at + length, end)) + (end < expression.length ? "…" : "");
  const carets = "^".repeat(Math.max(1, displayWidth(marked)));
  return `  ${before}${marked}${after}\n  ${" ".repeat(displayWidth(before))}${carets}`;
}

import { type FailureCode, FailureError } from "../../base/index.ts";
import { displayWidth, showUnsafe } from "../../text/index.ts";

/** Every reason for which an expression has no result. The calculator's reference in the docs is generated from it. */
export const calculatorReasons = {
  syntax: { code: "validation_error", means: "The expression cannot be read." },
  too_long: { code: "validation_error", means: "The expression has too many characters." },
  too_deep: { code: "validation_error", means: "The expression nests too deep." },
  unknown_name: { code: "validation_error", means: "There is no constant or variable of this name." },
  unknown_function: { code: "validation_error", means: "There is no function of this name." },
  arity: { code: "validation_error", means: "A function got too few or too many arguments." },
  domain: { code: "execution_error", means: "An operation is not defined for its operands." },
  div_zero: { code: "execution_error", means: "A division by zero." },
  overflow: { code: "execution_error", means: "A number is too large to be held." },
} as const;

calculatorReasons satisfies Record<string, { code: FailureCode; means: string }>;

/** The name of one reason in {@link calculatorReasons}. */
export type CalculatorReason = keyof typeof calculatorReasons;

/** A part of the expression, in UTF-16 units. */
export interface Span {
  readonly at: number;
  readonly length: number;
}

/** What is wrong with an expression; the span is added by whoever knows it. */
export class Fault extends Error {
  readonly reason: CalculatorReason;
  readonly span: Span | undefined;

  constructor(reason: CalculatorReason, message: string, span?: Span) {
    super(message);
    this.reason = reason;
    this.span = span;
  }
}

/** How much of a long expression is shown on either side of the fault. */
const around = 40;

/** The fault as a failure that shows the place in the expression. */
export function toFailureError({ reason, message, span }: Fault, expression: string): FailureError {
  const shown = span === undefined ? message : `${message}\n${frame(expression, span)}`;
  const { code } = calculatorReasons[reason];
  return new FailureError(shown, {
    code,
    reason,
    retry: "never",
    ...(code === "validation_error" && { issues: [{ path: ["expression"], code: reason, message }] }),
  });
}

/** The expression, and a caret under the place that matters. */
function frame(expression: string, { at, length }: Span): string {
  const start = Math.max(0, at - around);
  const end = Math.min(expression.length, at + Math.max(length, around));
  const before = (start > 0 ? "…" : "") + showUnsafe(expression.slice(start, at));
  const marked = showUnsafe(expression.slice(at, Math.min(at + length, end)));
  const after = showUnsafe(expression.slice(at + length, end)) + (end < expression.length ? "…" : "");
  const carets = "^".repeat(Math.max(1, displayWidth(marked)));
  return `  ${before}${marked}${after}\n  ${" ".repeat(displayWidth(before))}${carets}`;
}

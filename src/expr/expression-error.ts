import { brandPublic } from "../base/index.ts";

interface FaultKind {
  /** Description of the fault. */
  readonly meaning: string;
  /** Found at compile time, or only during evaluation. */
  readonly when: "compile" | "evaluate" | "both";
}

/** Every fault of an expression or a JSONPath. */
export const expressionFaults = {
  syntax: { when: "compile", meaning: "The expression cannot be parsed." },
  unknown_root: { when: "compile", meaning: "An expression starts with a name that is not a root." },
  unknown_function: { when: "compile", meaning: "There is no function of this name." },
  arity: { when: "compile", meaning: "A function gets too few or too many arguments." },
  forbidden_key: { when: "compile", meaning: "A path names a key that no value may have." },
  secret_misused: { when: "both", meaning: "A secret is used other than as one whole parameter." },
  too_long: { when: "compile", meaning: "The expression has too many characters." },
  too_complex: { when: "compile", meaning: "The expression, or the value around it, has too many parts." },
  too_deep: { when: "both", meaning: "The expression, or a value it works on, nests too deeply." },
  missing: { when: "evaluate", meaning: "A value that is needed is missing." },
  type: { when: "evaluate", meaning: "An operator or a function does not work on values of this type." },
  not_finite: { when: "both", meaning: "A number is too large, or not a number (such as 1 / 0)." },
  inexact: { when: "both", meaning: "A whole number has more digits than a number can hold." },
  not_json: { when: "evaluate", meaning: "A text is not JSON, or a value cannot be written as JSON." },
  budget: { when: "evaluate", meaning: "The evaluation takes more work than is allowed." },
  text_too_long: { when: "evaluate", meaning: "The evaluation creates a text that is longer than allowed." },
  select_syntax: { when: "compile", meaning: "The JSONPath cannot be parsed." },
  select_refused: {
    when: "both",
    meaning: "The JSONPath, or a pattern in it, is valid but larger than the limits allow.",
  },
} as const;

expressionFaults satisfies Record<string, FaultKind>;

/** The name of one kind of fault in {@link expressionFaults}. */
export type ExpressionFault = keyof typeof expressionFaults;

/** A part of a text, in UTF-16 units. */
export interface SourceSpan {
  readonly at: number;
  readonly end: number;
}

/** Faults that depend on the value, so that another value may have none. */
const itemFaults: ReadonlySet<ExpressionFault> = new Set(["type", "missing", "not_finite", "inexact", "not_json"]);

/**
 * An error in an expression, a template or a JSONPath, with its position in the text.
 *
 * @see docs/guide/chains.md
 */
export class ExpressionError extends Error {
  readonly fault: ExpressionFault;
  /** Offset in the source text, in UTF-16 units from 0. */
  readonly at: number;
  /** Length of the faulty part in units. */
  readonly length: number;
  /** Suggested fix; the message itself only states the problem. */
  readonly hint: string | undefined;
  /** Path of the text in a compiled value, such as `["headers", 0]`; empty for a standalone text. */
  readonly valuePath: readonly (string | number)[] = [];

  constructor(
    fault: ExpressionFault,
    message: string,
    { at, end, hint }: SourceSpan & { readonly hint?: string | undefined },
  ) {
    super(message);
    this.name = "ExpressionError";
    this.fault = fault;
    this.at = at;
    this.length = Math.max(0, end - at);
    this.hint = hint;
  }

  /** The same error for this item of a list; limits do not concern items. */
  ofItem(index: number): ExpressionError {
    const { fault, message, at, length, hint } = this;
    if (!itemFaults.has(fault)) return this;
    return new ExpressionError(fault, `${message} (item ${index} of the list)`, { at, end: at + length, hint });
  }

  /** The same error for the text at this path of a value. */
  inValue(valuePath: readonly (string | number)[]): ExpressionError {
    const { fault, message, at, length, hint } = this;
    return Object.assign(new ExpressionError(fault, message, { at, end: at + length, hint }), { valuePath });
  }
}

const isBranded = brandPublic(ExpressionError, "expression_error");

/** True if this is an {@link ExpressionError}, of this or another copy of Windlass. */
export function isExpressionError(value: unknown): value is ExpressionError {
  return isBranded(value);
}

interface FaultKind {
  /** What is wrong. */
  readonly means: string;
  /** Found before anything runs, or only with the values at hand. */
  readonly when: "compile" | "evaluate" | "both";
}

/** Every way an expression or a JSONPath can be wrong. */
export const expressionFaults = {
  syntax: { when: "compile", means: "The expression cannot be read." },
  unknown_root: { when: "compile", means: "An expression starts with a name that is none of the roots." },
  unknown_function: { when: "compile", means: "There is no function of this name." },
  arity: { when: "compile", means: "A function gets too few or too many arguments." },
  forbidden_key: { when: "compile", means: "A path names a key that no value may have." },
  secret_misused: { when: "both", means: "A secret is more than passed on as one whole parameter." },
  too_long: { when: "compile", means: "The expression has too many characters." },
  too_complex: { when: "compile", means: "The expression, or the value around it, has too many parts." },
  too_deep: { when: "both", means: "The expression, or a value it works on, nests too deep." },
  missing: { when: "evaluate", means: "A value that is needed is missing." },
  type: { when: "evaluate", means: "An operator or a function does not work on values of this type." },
  not_finite: { when: "both", means: "A number is too large, or no number at all (such as 1 / 0)." },
  not_json: { when: "evaluate", means: "A text is not JSON, or a value cannot be written as JSON." },
  budget: { when: "evaluate", means: "The evaluation takes more work than is allowed." },
  text_too_long: { when: "evaluate", means: "The evaluation makes a text that is longer than allowed." },
  select_syntax: { when: "compile", means: "The JSONPath cannot be read." },
  select_refused: {
    when: "both",
    means: "The JSONPath, or a pattern in it, is valid but larger than the guard allows.",
  },
} as const;

expressionFaults satisfies Record<string, FaultKind>;

/** The name of one kind of fault in {@link expressionFaults}. */
export type ExpressionFault = keyof typeof expressionFaults;

/** A part of a text, in UTF-16 units. */
export interface Span {
  readonly at: number;
  readonly end: number;
}

const brand = Symbol.for("windlass.expression_error");

/** What may be wrong with a value, and not with another one. */
const itemFaults: ReadonlySet<ExpressionFault> = new Set(["type", "missing", "not_finite", "not_json"]);

/** What is wrong with an expression, a template or a JSONPath, and where in its text. */
export class ExpressionError extends Error {
  readonly fault: ExpressionFault;
  /** Where in the text that was given, in UTF-16 units from 0. */
  readonly at: number;
  /** How many units the faulty part has. */
  readonly length: number;
  /** What to try; the message itself only says what is wrong. */
  readonly hint: string | undefined;
  /** Which text of a compiled value it is, such as `["headers", 0]`; empty for a text of its own. */
  readonly valuePath: readonly (string | number)[] = [];

  constructor(
    fault: ExpressionFault,
    message: string,
    { at, end, hint }: Span & { readonly hint?: string | undefined },
  ) {
    super(message);
    this.name = "ExpressionError";
    this.fault = fault;
    this.at = at;
    this.length = Math.max(0, end - at);
    this.hint = hint;
  }

  /** The same error, met at this item of a list; limits are not about items. */
  ofItem(index: number): ExpressionError {
    const { fault, message, at, length, hint } = this;
    if (!itemFaults.has(fault)) return this;
    return new ExpressionError(fault, `${message} (item ${index} of the list)`, { at, end: at + length, hint });
  }

  /** The same error, of the text at this path of a value. */
  inValue(valuePath: readonly (string | number)[]): ExpressionError {
    const { fault, message, at, length, hint } = this;
    return Object.assign(new ExpressionError(fault, message, { at, end: at + length, hint }), { valuePath });
  }
}

// On the prototype, so that two copies of Windlass know each other's errors.
Object.defineProperty(ExpressionError.prototype, brand, { value: true });

/** Is this an {@link ExpressionError}, of this or another copy of Windlass? */
export function isExpressionError(value: unknown): value is ExpressionError {
  return typeof value === "object" && value !== null && brand in value;
}

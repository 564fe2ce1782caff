import { ExpressionError, type SourceSpan } from "./expression-error.ts";
import { type EvaluationFrame, checkLength, spendText } from "./evaluation-frame.ts";
import { measureValue } from "./measure.ts";

/** A value as text: strings unchanged, lists and objects as JSON. */
export function stringifyValue(value: unknown, frame: EvaluationFrame, span: SourceSpan): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return stringifyJson(value, frame, span);
}

/** A value as JSON. */
export function stringifyJson(value: unknown, frame: EvaluationFrame, span: SourceSpan): string {
  // Measured first: JSON.stringify neither stops at a limit nor survives deep nesting.
  checkLength(measureValue(value, frame, span), span);
  const text = JSON.stringify(value);
  if (text === undefined) throw new ExpressionError("not_json", "the value cannot be written as JSON", span);
  spendText(frame, text.length, span);
  checkLength(text.length, span);
  return text;
}

import { ExpressionError, type Span } from "./expression-error.ts";
import { type Frame, checkLength, spendText } from "./frame.ts";
import { measure } from "./measure.ts";

/** A value as text: strings as they are, lists and objects as JSON. */
export function writeText(value: unknown, frame: Frame, span: Span): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return writeJson(value, frame, span);
}

/** A value as JSON. */
export function writeJson(value: unknown, frame: Frame, span: Span): string {
  // Measured first: JSON.stringify neither stops at a limit nor survives deep nesting.
  checkLength(measure(value, frame, span), span);
  const text = JSON.stringify(value);
  if (text === undefined) throw new ExpressionError("not_json", "the value cannot be written as JSON", span);
  spendText(frame, text.length, span);
  checkLength(text.length, span);
  return text;
}

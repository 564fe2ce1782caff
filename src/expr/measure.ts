import { ExpressionError, type SourceSpan } from "./expression-error.ts";
import { type EvaluationFrame, spendTicks, spendText } from "./evaluation-frame.ts";
import { limits } from "./limits.ts";
import { isSecretHandle, secretMisused } from "./secret-handle.ts";
import { typeName } from "./type-name.ts";

/**
 * Walks a whole value, one tick per part, and returns the number of characters of its texts; refuses values that are
 * not JSON.
 */
export function measureValue(value: unknown, frame: EvaluationFrame, span: SourceSpan): number {
  return measureAt(value, 0, { frame, span });
}

interface Measured {
  readonly frame: EvaluationFrame;
  readonly span: SourceSpan;
}

function measureAt(value: unknown, depth: number, measured: Measured): number {
  const { frame, span } = measured;
  spendTicks(frame, 1, span);
  switch (typeof value) {
    case "string":
      spendText(frame, value.length, span);
      return value.length;
    case "number":
    case "boolean":
      return 1;
    case "object":
      if (value === null) return 1;
      if (depth >= limits.valueDepth) throw tooDeep(span);
      if (isSecretHandle(value)) throw secretMisused(span);
      return Array.isArray(value) ? measureList(value, depth, measured) : measureObject(value, depth, measured);
    default:
      throw new ExpressionError("not_json", `a ${typeName(value)} cannot be written as JSON`, span);
  }
}

function measureList(list: readonly unknown[], depth: number, measured: Measured): number {
  let characters = 2;
  for (const item of list) characters += 1 + (item === undefined ? 4 : measureAt(item, depth + 1, measured));
  return characters;
}

function measureObject(value: object, depth: number, measured: Measured): number {
  let characters = 2;
  for (const key of Object.keys(value)) {
    // An own property, since it is one of its keys.
    const item = (value as Record<string, unknown>)[key];
    if (item !== undefined) characters += key.length + 2 + measureAt(item, depth + 1, measured);
  }
  return characters;
}

/** The error for a value that nests deeper than values that are compared or written. */
export function tooDeep({ at, end }: SourceSpan): ExpressionError {
  const message = `the value nests deeper than ${limits.valueDepth} levels`;
  return new ExpressionError("too_deep", message, { at, end, hint: "select a part of it" });
}

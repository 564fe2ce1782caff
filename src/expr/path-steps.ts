import { isRecord } from "../schema/index.ts";
import { ExpressionError, type SourceSpan } from "./expression-error.ts";
import { type EvaluationFrame, spendTicks } from "./evaluation-frame.ts";
import { limits, ticksPerKey } from "./limits.ts";
import { missing } from "./scope.ts";

/** One step from a value to a part of it. Without a frame it is one of few steps, and needs no budget. */
export type Walk = (value: unknown, frame?: EvaluationFrame) => unknown;

/** `["name"]`, and `.name` for most names. */
export function nameWalk(name: string): Walk {
  return (value) => (isRecord(value) ? ownValue(value, name) : missing);
}

/** Names after a dot that request a size. */
export function isSizeName(name: string): boolean {
  return name === "size" || name === "length" || name === "count";
}

/** `.size`, `.length` and `.count`: a key if an object has it, else the size of the list, or of the one list inside. */
export function sizeWalk(name: string, span: SourceSpan): Walk {
  return (value, frame) => {
    if (Array.isArray(value)) return value.length;
    if (typeof value === "string") return name === "count" ? missing : value.length;
    if (!isRecord(value)) return missing;
    if (Object.hasOwn(value, name)) return ownValue(value, name);
    return oneListInside(value, span, frame)?.length ?? missing;
  };
}

/** `[0]`, and `[-1]` from the end. */
export function indexWalk(index: number, span: SourceSpan): Walk {
  return (value, frame) => {
    if (isRecord(value) && Object.hasOwn(value, index)) return ownValue(value, String(index));
    const list = unwrapList(value, span, frame);
    if (list === undefined) return missing;
    const found: unknown = list[index < 0 ? list.length + index : index];
    return found === undefined ? missing : found;
  };
}

/** The value itself if it is a list, or the only list among the values of an object. */
export function unwrapList(value: unknown, span: SourceSpan, frame?: EvaluationFrame): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? oneListInside(value, span, frame) : undefined;
}

/** An own property, or missing. */
function ownValue(value: Readonly<Record<string, unknown>>, key: string): unknown {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return found === undefined ? missing : found;
}

/** The list among the values of an object, if there is exactly one. */
function oneListInside(
  value: Readonly<Record<string, unknown>>,
  span: SourceSpan,
  frame: EvaluationFrame | undefined,
): readonly unknown[] | undefined {
  let found: readonly unknown[] | undefined;
  let lists = 0;
  let keys = 0;
  for (const key in value) {
    if (++keys > limits.ticks) throw tooManyKeys(span);
    const item = Object.hasOwn(value, key) ? value[key] : undefined;
    if (!Array.isArray(item)) continue;
    found = item;
    if (++lists > 1) break;
  }
  if (frame !== undefined) spendTicks(frame, ticksPerKey * keys, span);
  return lists === 1 ? found : undefined;
}

function tooManyKeys({ at, end }: SourceSpan): ExpressionError {
  const message = `an object of more than ${limits.ticks} keys is not searched for its list`;
  return new ExpressionError("budget", message, { at, end, hint: "name the key of the list" });
}

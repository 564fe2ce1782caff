import { isRecord } from "../schema/index.ts";
import { ExpressionError } from "./expression-error.ts";
import type { EvaluationFrame } from "./evaluation-frame.ts";
import type { CallNode } from "./syntax-node.ts";
import { typeName } from "./type-name.ts";

/** The call that a function is running for. */
export interface FunctionCall {
  readonly frame: EvaluationFrame;
  readonly node: CallNode;
}

/** Implementation of a function; the number of arguments was checked, their types were not. */
export type FunctionCode = (args: readonly unknown[], call: FunctionCall) => unknown;

/** An argument that has to be a string. */
export function textArgument(args: readonly unknown[], index: number, call: FunctionCall): string {
  const value = args[index];
  if (typeof value === "string") return value;
  throw wrongArgument(value, index, { call, requested: "a string" });
}

/** An argument that has to be a finite number. */
export function numberArgument(args: readonly unknown[], index: number, call: FunctionCall): number {
  const value = args[index];
  if (typeof value === "number") return value;
  throw wrongArgument(value, index, { call, requested: "a number" });
}

/** An argument that has to be a list. */
export function listArgument(args: readonly unknown[], index: number, call: FunctionCall): readonly unknown[] {
  const value = args[index];
  if (Array.isArray(value)) return value;
  throw wrongArgument(value, index, { call, requested: "a list" });
}

/** An argument that has to be an object. */
export function objectArgument(
  args: readonly unknown[],
  index: number,
  call: FunctionCall,
): Readonly<Record<string, unknown>> {
  const value = args[index];
  if (isRecord(value)) return value;
  throw wrongArgument(value, index, { call, requested: "an object" });
}

/** The error of an argument that a function cannot work on. */
export function wrongArgument(
  value: unknown,
  index: number,
  { call, requested }: { readonly call: FunctionCall; readonly requested: string },
): ExpressionError {
  const message = `${call.node.name}() needs ${requested}, not ${describeArgumentType(value)}`;
  return new ExpressionError("type", message, call.node.args[index] ?? call.node);
}

function describeArgumentType(value: unknown): string {
  const name = typeName(value);
  if (name === "null") return name;
  return name === "object" ? "an object" : `a ${name}`;
}

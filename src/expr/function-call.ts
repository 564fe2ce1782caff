import { ExpressionError } from "./expression-error.ts";
import type { Frame } from "./frame.ts";
import type { CallNode } from "./syntax-node.ts";
import { isObject, typeName } from "./type-name.ts";

/** The call that a function is running for. */
export interface FunctionCall {
  readonly frame: Frame;
  readonly node: CallNode;
}

/** What a function does with its arguments; their number was checked, their types were not. */
export type FunctionCode = (args: readonly unknown[], call: FunctionCall) => unknown;

/** An argument that has to be a string. */
export function textArgument(args: readonly unknown[], index: number, call: FunctionCall): string {
  const value = args[index];
  if (typeof value === "string") return value;
  throw wrongArgument(value, index, { call, wanted: "a string" });
}

/** An argument that has to be a finite number. */
export function numberArgument(args: readonly unknown[], index: number, call: FunctionCall): number {
  const value = args[index];
  if (typeof value === "number") return value;
  throw wrongArgument(value, index, { call, wanted: "a number" });
}

/** An argument that has to be a list. */
export function listArgument(args: readonly unknown[], index: number, call: FunctionCall): readonly unknown[] {
  const value = args[index];
  if (Array.isArray(value)) return value;
  throw wrongArgument(value, index, { call, wanted: "a list" });
}

/** An argument that has to be an object. */
export function objectArgument(
  args: readonly unknown[],
  index: number,
  call: FunctionCall,
): Readonly<Record<string, unknown>> {
  const value = args[index];
  if (isObject(value)) return value;
  throw wrongArgument(value, index, { call, wanted: "an object" });
}

/** The error of an argument that a function cannot work on. */
export function wrongArgument(
  value: unknown,
  index: number,
  { call, wanted }: { readonly call: FunctionCall; readonly wanted: string },
): ExpressionError {
  const { at, end } = call.node.args[index] ?? call.node;
  return new ExpressionError("type", `${call.node.name}() needs ${wanted}, not ${shownType(value)}`, { at, end });
}

function shownType(value: unknown): string {
  const name = typeName(value);
  if (name === "null") return name;
  return name === "object" ? "an object" : `a ${name}`;
}

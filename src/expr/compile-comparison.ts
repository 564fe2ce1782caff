import type { Compile } from "./compile.ts";
import { ExpressionError } from "./expression-error.ts";
import { findText } from "./find-text.ts";
import { type Code, type Frame, spend, spendText } from "./frame.ts";
import { isEqual } from "./is-equal.ts";
import { missing } from "./missing.ts";
import type { BinaryNode } from "./syntax-node.ts";
import { isObject, typeName } from "./type-name.ts";

/** `==`, `!=`, the orderings and `in`. */
export function compileComparison(node: BinaryNode, compile: Compile): Code {
  const left = compile.accepting(node.left);
  const right = compile.accepting(node.right);
  switch (node.operator) {
    case "==":
      return (frame) => isEqual(left(frame), right(frame), { frame, span: node });
    case "!=":
      return (frame) => !isEqual(left(frame), right(frame), { frame, span: node });
    case "in":
      return (frame) => isIn(left(frame), right(frame), { frame, node });
    default: {
      const holds = orderings[node.operator as keyof typeof orderings];
      return (frame) => {
        const order = compare(left(frame), right(frame), { frame, node, text: compile.text });
        return order !== undefined && holds(order);
      };
    }
  }
}

const orderings = {
  "<": (order: number) => order < 0,
  "<=": (order: number) => order <= 0,
  ">": (order: number) => order > 0,
  ">=": (order: number) => order >= 0,
} as const;

interface Place {
  readonly frame: Frame;
  readonly node: BinaryNode;
}

interface Ordered extends Place {
  readonly text: string;
}

/** Negative, zero or positive; undefined where one of the two is missing, and nothing holds. */
function compare(left: unknown, right: unknown, place: Ordered): number | undefined {
  const { frame, node } = place;
  spend(frame, 1, node);
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (left === missing || right === missing) return undefined;
  if (typeof left === "string" && typeof right === "string") {
    spendText(frame, Math.min(left.length, right.length), node);
    if (left === right) return 0;
    return left < right ? -1 : 1;
  }
  throw unordered(left, right, place);
}

/** Null among values is no mistake of the chain's author, who has to hear which value it is and how to provide for it. */
function unordered(left: unknown, right: unknown, { node, text }: Ordered): ExpressionError {
  const { at, end } = node;
  const message = `${node.operator} does not compare ${typeName(left)} and ${typeName(right)}`;
  const operand = left === null ? node.left : right === null ? node.right : undefined;
  if (operand?.kind !== "path") {
    const hint = "only two numbers or two strings have an order; num() makes a number, ?? stands in for null";
    return new ExpressionError("type", message, { at, end, hint });
  }
  const path = shorten(text.slice(operand.at, operand.end));
  const hint = `write ${path} != null && ${shorten(text.slice(at, end))}, or give it a value: (${path} ?? 0)`;
  return new ExpressionError("type", `${message}: ${path} is null`, { at, end, hint });
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…`.toWellFormed() : text;
}

/** An item of a list, a part of a string, a key of an object. */
function isIn(part: unknown, whole: unknown, { frame, node }: Place): boolean {
  spend(frame, 1, node);
  if (part === missing || whole === missing) return false;
  if (Array.isArray(whole)) return whole.some((item) => isEqual(part, item, { frame, span: node }));
  if (typeof whole === "string" && typeof part === "string") return findText(whole, part, { frame, span: node }) !== -1;
  if (isObject(whole) && typeof part === "string") return Object.hasOwn(whole, part);
  const types = `${typeName(part)} in ${typeName(whole)}`;
  const hint = "it finds an item in a list, a string in a string, or a key in an object";
  throw new ExpressionError("type", `"in" does not look for ${types}`, { at: node.at, end: node.end, hint });
}

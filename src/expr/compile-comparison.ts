import type { Compile } from "./compile.ts";
import { ExpressionError } from "./expression-error.ts";
import { findText } from "./find-text.ts";
import { type Code, type EvaluationFrame, spendTicks, spendText } from "./evaluation-frame.ts";
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

interface ComparisonSite {
  readonly frame: EvaluationFrame;
  readonly node: BinaryNode;
}

interface Ordered extends ComparisonSite {
  readonly text: string;
}

/** Negative, zero or positive; undefined if one of the two is missing, and no comparison holds. */
function compare(left: unknown, right: unknown, site: Ordered): number | undefined {
  const { frame, node } = site;
  spendTicks(frame, 1, node);
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (left === missing || right === missing) return undefined;
  if (typeof left === "string" && typeof right === "string") {
    spendText(frame, Math.min(left.length, right.length), node);
    if (left === right) return 0;
    return left < right ? -1 : 1;
  }
  throw unordered(left, right, site);
}

/** A null value is not a mistake of the chain's author, so the error names the value and shows how to handle it. */
function unordered(left: unknown, right: unknown, { node, text }: Ordered): ExpressionError {
  const { at, end } = node;
  const message = `${node.operator} does not compare ${typeName(left)} and ${typeName(right)}`;
  const operand = left === null ? node.left : right === null ? node.right : undefined;
  if (operand?.kind !== "path") {
    const hint = "only two numbers or two strings have an order; num() makes a number, ?? replaces null";
    return new ExpressionError("type", message, { at, end, hint });
  }
  const path = shorten(text.slice(operand.at, operand.end));
  const hint = `write ${path} != null && ${shorten(text.slice(at, end))}, or provide a default: (${path} ?? 0)`;
  return new ExpressionError("type", `${message}: ${path} is null`, { at, end, hint });
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…`.toWellFormed() : text;
}

/** An item of a list, a part of a string, a key of an object. */
function isIn(part: unknown, whole: unknown, { frame, node }: ComparisonSite): boolean {
  spendTicks(frame, 1, node);
  if (part === missing || whole === missing) return false;
  if (Array.isArray(whole)) return whole.some((item) => isEqual(part, item, { frame, span: node }));
  if (typeof whole === "string" && typeof part === "string") return findText(whole, part, { frame, span: node }) !== -1;
  if (isObject(whole) && typeof part === "string") return Object.hasOwn(whole, part);
  const types = `${typeName(part)} in ${typeName(whole)}`;
  const hint = "it finds an item in a list, a string in a string, or a key in an object";
  throw new ExpressionError("type", `"in" does not search ${types}`, { at: node.at, end: node.end, hint });
}

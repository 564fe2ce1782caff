import { isRecord } from "../schema/index.ts";
import type { Compile } from "./compile.ts";
import { exactResult } from "./exact-integer.ts";
import { ExpressionError } from "./expression-error.ts";
import { type Code, type EvaluationFrame, checkLength, spendTicks, spendText } from "./evaluation-frame.ts";
import type { BinaryNode, SyntaxNode } from "./syntax-node.ts";
import { stringifyValue } from "./stringify-value.ts";
import { typeName } from "./type-name.ts";
import { findText } from "./find-text.ts";
import { isEqual } from "./is-equal.ts";
import { missing } from "./scope.ts";

type NegativeNode = Extract<SyntaxNode, { kind: "negative" }>;

/** `+ - * / %` and the minus sign. */
export function compileArithmetic(node: BinaryNode | NegativeNode, compile: Compile): Code {
  if (node.kind === "negative") return compileNegative(node, compile);
  const left = compile.needing(node.left);
  const right = compile.needing(node.right);
  if (node.operator === "+") return (frame) => add(left(frame), right(frame), { frame, node });
  // Nodes with other operators are compiled elsewhere.
  const operator = node.operator as "-" | "*" | "/" | "%";
  return (frame) => {
    spendTicks(frame, 1, node);
    const a = left(frame);
    const b = right(frame);
    if (typeof a !== "number" || typeof b !== "number") throw wrongTypes(a, b, node);
    const value = finite(calculate(a, operator, b), node, () => `${a} ${operator} ${b}`);
    return exactResult(value, { a, operator, b }, node);
  };
}

function compileNegative(node: NegativeNode, compile: Compile): Code {
  const operand = compile.needing(node.operand);
  return (frame) => {
    spendTicks(frame, 1, node);
    const value = operand(frame);
    if (typeof value === "number") return -value;
    throw new ExpressionError("type", `- needs a number, not a ${typeName(value)}`, node);
  };
}

function calculate(a: number, operator: BinaryNode["operator"], b: number): number {
  switch (operator) {
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    default:
      return a % b;
  }
}

/** Adds numbers, joins lists, and concatenates any value with a text. */
function add(a: unknown, b: unknown, { frame, node }: { frame: EvaluationFrame; node: BinaryNode }): unknown {
  spendTicks(frame, 1, node);
  if (typeof a === "number" && typeof b === "number") {
    return exactResult(
      finite(a + b, node, () => `${a} + ${b}`),
      { a, operator: "+", b },
      node,
    );
  }
  if (typeof a === "string" || typeof b === "string") {
    const first = stringifyValue(a, frame, node);
    const second = stringifyValue(b, frame, node);
    checkLength(first.length + second.length, node);
    spendText(frame, first.length + second.length, node);
    return first + second;
  }
  if (!Array.isArray(a) || !Array.isArray(b)) throw wrongTypes(a, b, node);
  spendTicks(frame, a.length + b.length, node);
  return [...(a as readonly unknown[]), ...(b as readonly unknown[])];
}

function finite(value: number, node: SyntaxNode, operation: () => string): number {
  if (Number.isFinite(value)) return value;
  throw new ExpressionError("not_finite", `${operation()} is not a finite number`, node);
}

function wrongTypes(a: unknown, b: unknown, { operator, at, end }: BinaryNode): ExpressionError {
  const expected = operator === "+" ? "two numbers, two lists, or a string and anything" : "two numbers";
  const message = `${operator} needs ${expected}, not ${typeName(a)} and ${typeName(b)}`;
  const number = [a, b].some((operand) => typeof operand === "string" && operator !== "+");
  return new ExpressionError("type", message, {
    at,
    end,
    hint: number ? "num() converts a string to a number" : undefined,
  });
}

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
  if (isRecord(whole) && typeof part === "string") return Object.hasOwn(whole, part);
  const types = `${typeName(part)} in ${typeName(whole)}`;
  const hint = "it finds an item in a list, a string in a string, or a key in an object";
  throw new ExpressionError("type", `"in" does not search ${types}`, { at: node.at, end: node.end, hint });
}

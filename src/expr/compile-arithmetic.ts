import type { Compile } from "./compile.ts";
import { exactResult } from "./exact-integer.ts";
import { ExpressionError } from "./expression-error.ts";
import { type Code, type EvaluationFrame, checkLength, spendTicks, spendText } from "./evaluation-frame.ts";
import type { BinaryNode, SyntaxNode } from "./syntax-node.ts";
import { typeName } from "./type-name.ts";
import { stringifyValue } from "./stringify-value.ts";

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
    const { at, end } = node;
    throw new ExpressionError("type", `- needs a number, not a ${typeName(value)}`, { at, end });
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

function finite(value: number, { at, end }: SyntaxNode, operation: () => string): number {
  if (Number.isFinite(value)) return value;
  throw new ExpressionError("not_finite", `${operation()} is not a finite number`, { at, end });
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

import type { Compile } from "./compile.ts";
import { ExpressionError } from "./expression-error.ts";
import { type Code, type Frame, checkLength, spend, spendText } from "./frame.ts";
import type { BinaryNode, SyntaxNode } from "./syntax-node.ts";
import { typeName } from "./type-name.ts";
import { writeText } from "./write-text.ts";

type NegativeNode = Extract<SyntaxNode, { kind: "negative" }>;

/** `+ - * / %` and the minus sign. */
export function compileArithmetic(node: BinaryNode | NegativeNode, compile: Compile): Code {
  if (node.kind === "negative") return compileNegative(node, compile);
  const left = compile.needing(node.left);
  const right = compile.needing(node.right);
  if (node.operator === "+") return (frame) => add(left(frame), right(frame), { frame, node });
  const { operator } = node;
  return (frame) => {
    spend(frame, 1, node);
    const a = left(frame);
    const b = right(frame);
    if (typeof a !== "number" || typeof b !== "number") throw wrongTypes(a, b, node);
    return finite(calculate(a, operator, b), node, () => `${a} ${operator} ${b}`);
  };
}

function compileNegative(node: NegativeNode, compile: Compile): Code {
  const operand = compile.needing(node.operand);
  return (frame) => {
    spend(frame, 1, node);
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

/** Adds numbers, joins lists, and writes anything behind or before a text. */
function add(a: unknown, b: unknown, { frame, node }: { frame: Frame; node: BinaryNode }): unknown {
  spend(frame, 1, node);
  if (typeof a === "number" && typeof b === "number") return finite(a + b, node, () => `${a} + ${b}`);
  if (typeof a === "string" || typeof b === "string") {
    const first = writeText(a, frame, node);
    const second = writeText(b, frame, node);
    checkLength(first.length + second.length, node);
    spendText(frame, first.length + second.length, node);
    return first + second;
  }
  if (!Array.isArray(a) || !Array.isArray(b)) throw wrongTypes(a, b, node);
  spend(frame, a.length + b.length, node);
  return [...(a as readonly unknown[]), ...(b as readonly unknown[])];
}

function finite(value: number, { at, end }: SyntaxNode, what: () => string): number {
  if (Number.isFinite(value)) return value;
  throw new ExpressionError("not_finite", `${what()} is not a finite number`, { at, end });
}

function wrongTypes(a: unknown, b: unknown, { operator, at, end }: BinaryNode): ExpressionError {
  const wanted = operator === "+" ? "two numbers, two lists, or a string and anything" : "two numbers";
  const message = `${operator} needs ${wanted}, not ${typeName(a)} and ${typeName(b)}`;
  const number = [a, b].some((operand) => typeof operand === "string" && operator !== "+");
  return new ExpressionError("type", message, {
    at,
    end,
    hint: number ? "num() makes a number of a string" : undefined,
  });
}

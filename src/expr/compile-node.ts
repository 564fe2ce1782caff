import type { Compile } from "./compile.ts";
import { compileArithmetic } from "./compile-arithmetic.ts";
import { compileCall } from "./compile-call.ts";
import { compileComparison } from "./compile-comparison.ts";
import { compilePath } from "./compile-path.ts";
import { ExpressionError } from "./expression-error.ts";
import { type Code, spend } from "./frame.ts";
import { functions } from "./functions.ts";
import { isFalsy } from "./is-falsy.ts";
import { missing } from "./missing.ts";
import type { BinaryNode, CallNode, PathNode, SyntaxNode } from "./syntax-node.ts";

/** What happens at a place where a value turns out to be missing. */
type Place = "accepts" | "needs";

/** The compiler of the expressions in this text. */
export function compiler(text: string): Compile {
  const compile: Compile = {
    text,
    accepting: (node) => compileNode(node, "accepts", compile),
    needing: (node) => compileNode(node, "needs", compile),
  };
  return compile;
}

function compileNode(node: SyntaxNode, place: Place, compile: Compile): Code {
  switch (node.kind) {
    case "literal": {
      const { value } = node;
      return () => value;
    }
    case "list":
      return compileList(node, compile);
    case "path":
      return atPlace(compilePath(node, compile), node, { place, compile });
    case "not":
      return compileNot(node.operand, compile);
    case "negative":
      return compileArithmetic(node, compile);
    case "choice":
      return compileChoice(node, place, compile);
    case "call":
      return compileCallAt(node, place, compile);
    default:
      return compileBinary(node, place, compile);
  }
}

/** A value that was found missing ends here: told where that is accepted, an error where a value is needed. */
function atPlace(code: Code, node: PathNode | CallNode, where: { place: Place; compile: Compile }): Code {
  const text = where.compile.text.slice(node.at, node.end);
  if (where.place === "needs") {
    return (frame) => {
      const value = code(frame);
      if (value === missing) throw missingError(text, node);
      return value;
    };
  }
  // Items of a filter lack things all the time; that is what filters are for.
  if (node.kind === "path" && node.base.kind === "current") return code;
  return (frame) => {
    const value = code(frame);
    if (value === missing) frame.tellMissing(text);
    return value;
  };
}

/** The error of a value that is needed and missing. */
function missingError(text: string, { at, end }: { at: number; end: number }): ExpressionError {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  const hint = `write ${shown.includes("…") ? "x" : shown} ?? "…" to provide for its absence`;
  return new ExpressionError("missing", `${shown} is missing`, { at, end, hint });
}

function compileList(node: Extract<SyntaxNode, { kind: "list" }>, compile: Compile): Code {
  const codes = node.items.map(compile.accepting);
  return (frame) => {
    spend(frame, 1 + codes.length, node);
    return codes.map((code) => {
      const value = code(frame);
      return value === missing ? null : value;
    });
  };
}

function compileNot(operand: SyntaxNode, compile: Compile): Code {
  const code = compile.accepting(operand);
  return (frame) => {
    spend(frame, 1, operand);
    return isFalsy(code(frame));
  };
}

function compileChoice(node: Extract<SyntaxNode, { kind: "choice" }>, place: Place, compile: Compile): Code {
  const test = compile.accepting(node.test);
  const yes = compileNode(node.yes, place, compile);
  const no = compileNode(node.no, place, compile);
  return (frame) => {
    spend(frame, 1, node);
    return isFalsy(test(frame)) ? no(frame) : yes(frame);
  };
}

function compileCallAt(node: CallNode, place: Place, compile: Compile): Code {
  const { name } = node;
  if (name !== "default") return atPlace(compileCall(node, functions[name], compile), node, { place, compile });
  // The parser counted the arguments.
  const [value, otherwise] = node.args as [SyntaxNode, SyntaxNode];
  return compileElse(node, compile.accepting(value), compileNode(otherwise, place, compile));
}

function compileBinary(node: BinaryNode, place: Place, compile: Compile): Code {
  switch (node.operator) {
    case "??":
      return compileElse(node, compile.accepting(node.left), compileNode(node.right, place, compile));
    case "||":
    case "&&": {
      // The left operand may itself be the result; where a value is needed, it must then be one.
      const left = compile.accepting(node.left);
      const right = compileNode(node.right, place, compile);
      return node.operator === "||" ? compileOr(node, left, right) : compileAnd(node, left, { right, place, compile });
    }
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "in":
      return compileComparison(node, compile);
    default:
      return compileArithmetic(node, compile);
  }
}

/** `a ?? b` and `default(a, b)`. */
function compileElse(node: SyntaxNode, left: Code, right: Code): Code {
  return (frame) => {
    spend(frame, 1, node);
    const value = left(frame);
    return value === missing || value === null ? right(frame) : value;
  };
}

function compileOr(node: BinaryNode, left: Code, right: Code): Code {
  return (frame) => {
    spend(frame, 1, node);
    const value = left(frame);
    return isFalsy(value) ? right(frame) : value;
  };
}

function compileAnd(
  node: BinaryNode,
  left: Code,
  { right, place, compile }: { right: Code; place: Place; compile: Compile },
): Code {
  const text = compile.text.slice(node.left.at, node.left.end);
  return (frame) => {
    spend(frame, 1, node);
    const value = left(frame);
    if (!isFalsy(value)) return right(frame);
    if (value === missing && place === "needs") throw missingError(text, node.left);
    return value;
  };
}

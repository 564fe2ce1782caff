import { isRecord } from "../schema/index.ts";
import type { Compile } from "./compile.ts";
import { compileArithmetic, compileComparison } from "./compile-arithmetic.ts";
import { compilePath } from "./compile-path.ts";
import { ExpressionError, type SourceSpan } from "./expression-error.ts";
import { type Code, spendTicks, type EvaluationFrame, checkLength, spendText } from "./evaluation-frame.ts";
import { isFalsy } from "./is-equal.ts";
import { missing } from "./scope.ts";
import type { BinaryNode, CallNode, PathNode, SyntaxNode } from "./syntax-node.ts";
import { type FunctionCode, objectArgument, textArgument, wrongArgument } from "./function-call.ts";
import type { FunctionName } from "./function-names.ts";
import { listFunctions, numberFunctions, textFunctions } from "./functions.ts";
import { holdsInteger, inexact } from "./exact-integer.ts";
import { ticksPerKey, limits } from "./limits.ts";
import { stringifyJson, stringifyValue } from "./stringify-value.ts";
import { typeName } from "./type-name.ts";
import { measureValue, tooDeep } from "./measure.ts";

/** Handling of missing values at a position in an expression. */
type MissingPolicy = "accepts" | "needs";

/** The compiler of the expressions in this text. */
export function compiler(text: string): Compile {
  const compile: Compile = {
    text,
    accepting: (node) => compileNode(node, "accepts", compile),
    needing: (node) => compileNode(node, "needs", compile),
  };
  return compile;
}

function compileNode(node: SyntaxNode, policy: MissingPolicy, compile: Compile): Code {
  switch (node.kind) {
    case "literal": {
      const { value } = node;
      return () => value;
    }
    case "list":
      return compileList(node, compile);
    case "path":
      return applyMissingPolicy(compilePath(node, compile), node, { policy, compile });
    case "not":
      return compileNot(node.operand, compile);
    case "negative":
      return compileArithmetic(node, compile);
    case "choice":
      return compileChoice(node, policy, compile);
    case "call":
      return compileCallAt(node, policy, compile);
    default:
      return compileBinary(node, policy, compile);
  }
}

/** Handles a missing value: reports it if the position accepts missing values, throws if a value is needed. */
function applyMissingPolicy(
  code: Code,
  node: PathNode | CallNode,
  where: { policy: MissingPolicy; compile: Compile },
): Code {
  const text = where.compile.text.slice(node.at, node.end);
  if (where.policy === "needs") {
    return (frame) => {
      const value = code(frame);
      if (value === missing) throw missingError(text, node);
      return value;
    };
  }
  // Items of a filter often lack keys; filters exist to test that.
  if (node.kind === "path" && node.base.kind === "current") return code;
  return (frame) => {
    const value = code(frame);
    if (value === missing) frame.reportMissing(text);
    return value;
  };
}

/** The error of a value that is needed and missing. */
function missingError(text: string, { at, end }: { at: number; end: number }): ExpressionError {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  const hint = `write ${shown.includes("…") ? "x" : shown} ?? "…" to handle its absence`;
  return new ExpressionError("missing", `${shown} is missing`, { at, end, hint });
}

function compileList(node: Extract<SyntaxNode, { kind: "list" }>, compile: Compile): Code {
  const codes = node.items.map(compile.accepting);
  return (frame) => {
    spendTicks(frame, 1 + codes.length, node);
    return codes.map((code) => {
      const value = code(frame);
      return value === missing ? null : value;
    });
  };
}

function compileNot(operand: SyntaxNode, compile: Compile): Code {
  const code = compile.accepting(operand);
  return (frame) => {
    spendTicks(frame, 1, operand);
    return isFalsy(code(frame));
  };
}

function compileChoice(node: Extract<SyntaxNode, { kind: "choice" }>, policy: MissingPolicy, compile: Compile): Code {
  const test = compile.accepting(node.test);
  const yes = compileNode(node.yes, policy, compile);
  const no = compileNode(node.no, policy, compile);
  return (frame) => {
    spendTicks(frame, 1, node);
    return isFalsy(test(frame)) ? no(frame) : yes(frame);
  };
}

function compileCallAt(node: CallNode, policy: MissingPolicy, compile: Compile): Code {
  const { name } = node;
  if (name !== "default")
    return applyMissingPolicy(compileCall(node, functions[name], compile), node, { policy, compile });
  // The parser checked the number of arguments.
  const [value, otherwise] = node.args as [SyntaxNode, SyntaxNode];
  return compileElse(node, compile.accepting(value), compileNode(otherwise, policy, compile));
}

function compileBinary(node: BinaryNode, policy: MissingPolicy, compile: Compile): Code {
  switch (node.operator) {
    case "??":
      return compileElse(node, compile.accepting(node.left), compileNode(node.right, policy, compile));
    case "||":
    case "&&": {
      // The left operand may itself be the result; if a value is needed, it must then be one.
      const left = compile.accepting(node.left);
      const right = compileNode(node.right, policy, compile);
      return node.operator === "||" ? compileOr(node, left, right) : compileAnd(node, left, { right, policy, compile });
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
    spendTicks(frame, 1, node);
    const value = left(frame);
    return value === missing || value === null ? right(frame) : value;
  };
}

function compileOr(node: BinaryNode, left: Code, right: Code): Code {
  return (frame) => {
    spendTicks(frame, 1, node);
    const value = left(frame);
    return isFalsy(value) ? right(frame) : value;
  };
}

function compileAnd(
  node: BinaryNode,
  left: Code,
  { right, policy, compile }: { right: Code; policy: MissingPolicy; compile: Compile },
): Code {
  const text = compile.text.slice(node.left.at, node.left.end);
  return (frame) => {
    spendTicks(frame, 1, node);
    const value = left(frame);
    if (!isFalsy(value)) return right(frame);
    if (value === missing && policy === "needs") throw missingError(text, node.left);
    return value;
  };
}

/** Functions that accept a missing argument. */
const accepting: ReadonlySet<string> = new Set(["size", "has"]);

/** A call of a function. */
function compileCall(node: CallNode, call: FunctionCode, compile: Compile): Code {
  const codes = node.args.map(accepting.has(node.name) ? compile.accepting : compile.needing);
  return (frame) => {
    spendTicks(frame, 1, node);
    const args = codes.map((code) => code(frame));
    return call(args, { frame, node });
  };
}

type ValueFunction = "size" | "has" | "type" | "str" | "num" | "json" | "parse_json" | "keys" | "values";

/** Functions that work on values of any type, or turn one type into another. */
const valueFunctions: Readonly<Record<ValueFunction, FunctionCode>> = {
  size: (args, call) => {
    const [value] = args;
    if (value === missing || value === null) return 0;
    if (Array.isArray(value) || typeof value === "string") return value.length;
    if (!isRecord(value)) throw wrongArgument(value, 0, { call, requested: "a list, a string or an object" });
    const { length } = Object.keys(value);
    spendTicks(call.frame, ticksPerKey * length, call.node);
    return length;
  },
  has: ([value]) => value !== missing && value !== null,
  type: ([value]) => typeName(value),
  str: ([value], { frame, node }) => stringifyValue(value, frame, node),
  num: (args, call) => {
    const [value] = args;
    if (typeof value === "number") return value;
    const text = textArgument(args, 0, call).trim();
    if (!decimal.test(text)) {
      const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
      throw new ExpressionError("type", `num() cannot read ${JSON.stringify(shown)} as a number`, call.node);
    }
    const number = Number(text);
    const digits = text.replace(/^\+/, "");
    if (integer.test(digits) && Number.isFinite(number) && !holdsInteger(number, digits))
      throw inexact(digits, call.node);
    if (Number.isFinite(number)) return number;
    throw new ExpressionError("not_finite", "num() reads a number that is too large", call.node);
  },
  json: ([value], { frame, node }) => stringifyJson(value, frame, node),
  parse_json: (args, call) => parseJsonValue(textArgument(args, 0, call), call.frame, call.node),
  keys: (args, call) => {
    const keys = Object.keys(objectArgument(args, 0, call));
    spendTicks(call.frame, ticksPerKey * keys.length, call.node);
    return keys;
  },
  values: (args, call) => {
    const values = Object.values(objectArgument(args, 0, call));
    spendTicks(call.frame, ticksPerKey * values.length, call.node);
    return values;
  },
};

/** Implementation of each function; `default()` is compiled like `??`, its equivalent. */
const functions: Readonly<Record<Exclude<FunctionName, "default">, FunctionCode>> = {
  ...valueFunctions,
  ...textFunctions,
  ...listFunctions,
  ...numberFunctions,
};

const integer = /^-?\d+$/;

/** Numbers in JSON and decimal notation; `0x10` and an empty text do not match. */
const decimal = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/** Parses a JSON text. The value is passed to tools, so its size and depth are limited. */
function parseJsonValue(text: string, frame: EvaluationFrame, span: SourceSpan): unknown {
  checkLength(text.length, span);
  spendText(frame, text.length, span);
  // Checked first: building a million levels takes much longer than counting them.
  if (nestsDeeperThan(limits.valueDepth, text)) throw tooDeep(span);
  const value = parse(text, span);
  if (longInteger.test(text)) refuseLongIntegers(text, span);
  measureValue(value, frame, span);
  return value;
}

/** Shorter integers are held exactly. */
const longInteger = /\d{16}/;

function parse(text: string, span: SourceSpan): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 120) : String(error);
    throw new ExpressionError("not_json", `parse_json() cannot read the text: ${why}`, span);
  }
}

/** Refuses JSON with an integer whose digits would be lost. */
function refuseLongIntegers(text: string, span: SourceSpan): void {
  let lost: string | undefined;
  JSON.parse(text, (_key: string, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? "";
    if (typeof value === "number" && integer.test(source) && !holdsInteger(value, source)) lost ??= source;
    return value;
  });
  if (lost !== undefined) throw inexact(lost, span);
}

function nestsDeeperThan(maxDepth: number, text: string): boolean {
  let depth = 0;
  let inQuotes = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inQuotes && character === "\\") at++;
    else if (character === '"') inQuotes = !inQuotes;
    else if (inQuotes) continue;
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

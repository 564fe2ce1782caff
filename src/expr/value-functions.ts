import { isRecord } from "../schema/index.ts";
import { holdsInteger, inexact } from "./exact-integer.ts";
import { ExpressionError, type SourceSpan } from "./expression-error.ts";
import { spendTicks, type EvaluationFrame, checkLength, spendText } from "./evaluation-frame.ts";
import { type FunctionCode, objectArgument, textArgument, wrongArgument } from "./function-call.ts";
import { ticksPerKey, limits } from "./limits.ts";
import { missing } from "./scope.ts";
import { stringifyJson, stringifyValue } from "./stringify-value.ts";
import { typeName } from "./type-name.ts";
import { measureValue, tooDeep } from "./measure.ts";

type ValueFunction = "size" | "has" | "type" | "str" | "num" | "json" | "parse_json" | "keys" | "values";

/** Functions that work on values of any type, or turn one type into another. */
export const valueFunctions: Readonly<Record<ValueFunction, FunctionCode>> = {
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

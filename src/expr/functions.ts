import { findText } from "./find-text.ts";
import { type EvaluationFrame, checkLength, spendTicks, spendText } from "./evaluation-frame.ts";
import {
  type FunctionCall,
  type FunctionCode,
  listArgument,
  textArgument,
  numberArgument,
  wrongArgument,
} from "./function-call.ts";
import { isEqual } from "./is-equal.ts";
import type { CallNode, SyntaxNode } from "./syntax-node.ts";
import { stringifyValue } from "./stringify-value.ts";
import { typeName } from "./type-name.ts";
import { canonicalJson } from "../base/index.ts";
import { measureValue } from "./measure.ts";
import { missing } from "./scope.ts";
import { exactResult } from "./exact-integer.ts";
import { ExpressionError } from "./expression-error.ts";

type TextFunction = "join" | "split" | "lower" | "upper" | "trim" | "contains" | "starts_with" | "ends_with";

/** Functions that work on strings. */
export const textFunctions: Readonly<Record<TextFunction, FunctionCode>> = {
  join: (args, call) => {
    const list = listArgument(args, 0, call);
    return join(list, args.length > 1 ? textArgument(args, 1, call) : ", ", call);
  },
  split: (args, call) => split(textArgument(args, 0, call), textArgument(args, 1, call), call),
  lower: changed((text) => text.toLowerCase()),
  upper: changed((text) => text.toUpperCase()),
  trim: changed((text) => text.trim()),
  contains: (args, call) => {
    const { frame, node } = call;
    const [whole, part] = args;
    if (typeof whole === "string") return findText(whole, textArgument(args, 1, call), { frame, span: node }) !== -1;
    return listArgument(args, 0, call).some((item) => isEqual(item, part, { frame, span: node }));
  },
  starts_with: (args, call) => {
    const start = textArgument(args, 1, call);
    spendText(call.frame, start.length, call.node);
    return textArgument(args, 0, call).startsWith(start);
  },
  ends_with: (args, call) => {
    const end = textArgument(args, 1, call);
    spendText(call.frame, end.length, call.node);
    return textArgument(args, 0, call).endsWith(end);
  },
};

function changed(change: (text: string) => string): FunctionCode {
  return (args, call) => {
    const text = textArgument(args, 0, call);
    checkLength(text.length, call.node);
    spendText(call.frame, text.length, call.node);
    const result = change(text);
    // Some letters have longer forms: ß, ﬃ.
    checkLength(result.length, call.node);
    return result;
  };
}

function join(list: readonly unknown[], separator: string, { frame, node }: FunctionCall): string {
  let joined = "";
  for (const [index, item] of list.entries()) {
    const text = index === 0 ? stringifyValue(item, frame, node) : separator + stringifyValue(item, frame, node);
    append(joined.length, text, { frame, node });
    joined += text;
  }
  return joined;
}

function append(length: number, text: string, { frame, node }: { frame: EvaluationFrame; node: CallNode }): void {
  spendText(frame, text.length, node);
  checkLength(length + text.length, node);
}

function split(text: string, separator: string, { frame, node }: FunctionCall): string[] {
  if (separator === "") {
    spendTicks(frame, text.length, node);
    return Array.from(text);
  }
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const found = findText(text, separator, { frame, span: node, from });
    if (found === -1) break;
    parts.push(text.slice(from, found));
    from = found + separator.length;
  }
  parts.push(text.slice(from));
  return parts;
}

type ListFunction = "first" | "last" | "unique" | "flatten";

/** Functions that work on lists. */
export const listFunctions: Readonly<Record<ListFunction, FunctionCode>> = {
  first: (args, call) => item(listArgument(args, 0, call), 0),
  last: (args, call) => item(listArgument(args, 0, call), -1),
  unique: (args, call) => {
    const seen = new Set<unknown>();
    return listArgument(args, 0, call).filter((item) => {
      const identity = identityOf(item, call.frame, call.node);
      if (seen.has(identity)) return false;
      seen.add(identity);
      return true;
    });
  },
  flatten: (args, call) => {
    const flat: unknown[] = [];
    for (const item of listArgument(args, 0, call)) {
      spendTicks(call.frame, 1, call.node);
      if (!Array.isArray(item)) {
        flat.push(item);
        continue;
      }
      spendTicks(call.frame, item.length, call.node);
      for (const part of item) flat.push(part);
    }
    return flat;
  },
};

function item(list: readonly unknown[], index: number): unknown {
  const found = list.at(index);
  return found === undefined ? missing : found;
}

/** Equal values have the same identity, so that finding them needs one lookup instead of a comparison with each. */
function identityOf(value: unknown, frame: EvaluationFrame, node: SyntaxNode): unknown {
  const before = frame.remainingTicks;
  measureValue(value, frame, node);
  // Caching doubles the cost, and serializing an object with sorted keys costs several times as much.
  const isParted = typeof value === "object" && value !== null;
  spendTicks(frame, (before - frame.remainingTicks) * (isParted ? 4 : 1), node);
  if (typeof value === "string") return `"${value}`;
  // The text of an object cannot equal that of a string, which starts with a quote.
  return isParted ? canonicalJson(value) : value;
}

type NumberFunction = "sum" | "min" | "max" | "round" | "floor" | "abs";

/** Functions that work on numbers. */
export const numberFunctions: Readonly<Record<NumberFunction, FunctionCode>> = {
  sum: (args, call) => {
    let sum = 0;
    for (const b of numbersOf(listArgument(args, 0, call), call))
      sum = exactResult(finite(sum + b, call), { a: sum, operator: "+", b }, call.node);
    return sum;
  },
  min: (args, call) => extreme(args, call, (a, b) => a < b),
  max: (args, call) => extreme(args, call, (a, b) => a > b),
  round: (args, call) => {
    const value = numberArgument(args, 0, call);
    const digits = args.length > 1 ? numberArgument(args, 1, call) : 0;
    if (Number.isInteger(digits) && digits >= 0 && digits <= 15) return round(value, digits);
    throw wrongArgument(digits, 1, { call, requested: "a number of digits from 0 to 15" });
  },
  floor: (args, call) => Math.floor(numberArgument(args, 0, call)),
  abs: (args, call) => Math.abs(numberArgument(args, 0, call)),
};

/** The minimum or maximum of one list, or of the arguments; missing for an empty list. */
function extreme(args: readonly unknown[], call: FunctionCall, beats: (a: number, b: number) => boolean): unknown {
  const list = args.length === 1 ? listArgument(args, 0, call) : args;
  let best: number | undefined;
  for (const number of numbersOf(list, call)) if (best === undefined || beats(number, best)) best = number;
  return best ?? missing;
}

function numbersOf(list: readonly unknown[], { frame, node }: FunctionCall): readonly number[] {
  spendTicks(frame, list.length, node);
  const odd = list.findIndex((item) => typeof item !== "number");
  // Every item was checked.
  if (odd === -1) return list as readonly number[];
  const message = `${node.name}() needs numbers; number ${odd + 1} of the list is a ${typeName(list[odd])}`;
  throw new ExpressionError("type", message, node);
}

/** Halves are rounded away from zero, by the visible decimal digits: round(1.005, 2) is 1.01. */
function round(value: number, digits: number): number {
  const shifted = shift(value, digits);
  if (!Number.isFinite(shifted)) return value;
  return Math.sign(value) * shift(Math.round(Math.abs(shifted)), -digits);
}

/** Shifts the decimal point in the decimal notation, where the shift is exact. */
function shift(value: number, digits: number): number {
  const [mantissa, exponent = "0"] = String(value).split("e");
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

function finite(value: number, { node }: FunctionCall): number {
  if (Number.isFinite(value)) return value;
  throw new ExpressionError("not_finite", `${node.name}() does not return a finite number`, node);
}

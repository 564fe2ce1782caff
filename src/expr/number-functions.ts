import { exactResult } from "./exact-integer.ts";
import { ExpressionError } from "./expression-error.ts";
import { spendTicks } from "./evaluation-frame.ts";
import { type FunctionCall, type FunctionCode, listArgument, numberArgument, wrongArgument } from "./function-call.ts";
import { missing } from "./missing.ts";
import { typeName } from "./type-name.ts";

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
  const { at, end } = node;
  const message = `${node.name}() needs numbers; number ${odd + 1} of the list is a ${typeName(list[odd])}`;
  throw new ExpressionError("type", message, { at, end });
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
  const { at, end } = node;
  throw new ExpressionError("not_finite", `${node.name}() does not return a finite number`, { at, end });
}

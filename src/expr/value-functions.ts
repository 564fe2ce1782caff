import { ExpressionError } from "./expression-error.ts";
import { spend } from "./frame.ts";
import { type FunctionCode, objectArgument, textArgument, wrongArgument } from "./function-call.ts";
import { ticksPerKey } from "./limits.ts";
import { missing } from "./missing.ts";
import { readJson } from "./read-json.ts";
import { isObject, typeName } from "./type-name.ts";
import { writeJson, writeText } from "./write-text.ts";

type ValueFunction = "size" | "has" | "type" | "str" | "num" | "json" | "parse_json" | "keys" | "values";

/** Functions that work on values of any type, or turn one type into another. */
export const valueFunctions: Readonly<Record<ValueFunction, FunctionCode>> = {
  size: (args, call) => {
    const [value] = args;
    if (value === missing || value === null) return 0;
    if (Array.isArray(value) || typeof value === "string") return value.length;
    if (!isObject(value)) throw wrongArgument(value, 0, { call, wanted: "a list, a string or an object" });
    const { length } = Object.keys(value);
    spend(call.frame, ticksPerKey * length, call.node);
    return length;
  },
  has: ([value]) => value !== missing && value !== null,
  type: ([value]) => typeName(value),
  str: ([value], { frame, node }) => writeText(value, frame, node),
  num: (args, call) => {
    const [value] = args;
    if (typeof value === "number") return value;
    const text = textArgument(args, 0, call).trim();
    const { at, end } = call.node;
    if (!decimal.test(text)) {
      const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
      throw new ExpressionError("type", `num() cannot read ${JSON.stringify(shown)} as a number`, { at, end });
    }
    const number = Number(text);
    if (Number.isFinite(number)) return number;
    throw new ExpressionError("not_finite", "num() reads a number that is too large", { at, end });
  },
  json: ([value], { frame, node }) => writeJson(value, frame, node),
  parse_json: (args, call) => readJson(textArgument(args, 0, call), call.frame, call.node),
  keys: (args, call) => {
    const keys = Object.keys(objectArgument(args, 0, call));
    spend(call.frame, ticksPerKey * keys.length, call.node);
    return keys;
  },
  values: (args, call) => {
    const values = Object.values(objectArgument(args, 0, call));
    spend(call.frame, ticksPerKey * values.length, call.node);
    return values;
  },
};

/** As JSON and people write numbers; `0x10` and an empty text are none. */
const decimal = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

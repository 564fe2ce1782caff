import { canonicalJson } from "../base/index.ts";
import { type EvaluationFrame, spendTicks } from "./evaluation-frame.ts";
import { type FunctionCode, listArgument } from "./function-call.ts";
import { measureValue } from "./measure.ts";
import { missing } from "./missing.ts";
import type { SyntaxNode } from "./syntax-node.ts";

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

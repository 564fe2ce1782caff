import { findText } from "./find-text.ts";
import { type EvaluationFrame, checkLength, spendTicks, spendText } from "./evaluation-frame.ts";
import { type FunctionCall, type FunctionCode, listArgument, textArgument } from "./function-call.ts";
import { isEqual } from "./is-equal.ts";
import type { CallNode } from "./syntax-node.ts";
import { stringifyValue } from "./stringify-value.ts";

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

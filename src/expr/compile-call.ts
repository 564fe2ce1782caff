import type { Compile } from "./compile.ts";
import { type Code, spend } from "./frame.ts";
import type { FunctionCode } from "./function-call.ts";
import type { CallNode } from "./syntax-node.ts";

/** Functions that know what to do with a missing argument. */
const accepting: ReadonlySet<string> = new Set(["size", "has"]);

/** A call of a function. */
export function compileCall(node: CallNode, call: FunctionCode, compile: Compile): Code {
  const codes = node.args.map(accepting.has(node.name) ? compile.accepting : compile.needing);
  return (frame) => {
    spend(frame, 1, node);
    const args = codes.map((code) => code(frame));
    return call(args, { frame, node });
  };
}

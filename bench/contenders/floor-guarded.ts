import type { Answering, Arguments, CallContender } from "../contender.ts";
import { type Envelope, guarded, outputOf } from "./guarded.ts";
import { find, findAsync, name, schema } from "./workload.ts";

/** One call with the duties that a careful engineer implements by hand. */
export function create(answering: Answering): CallContender {
  const call = guarded(new Map([[name, { schema, run: answering === "sync" ? find : findAsync }]]), 10);
  return {
    call: (args: Arguments) => call(name, args),
    outputOf: (answer) => outputOf(answer as Envelope),
  };
}

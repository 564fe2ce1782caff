import type { Answering, Arguments, CallContender } from "../contender.ts";
import { find, findAsync, schema } from "./workload.ts";

/** Parse, then call: the minimum for a safe tool call. */
export function create(answering: Answering): CallContender {
  return answering === "sync"
    ? { call: (args: Arguments) => find(schema.parse(args)), outputOf: (answer) => answer }
    : { call: async (args: Arguments) => findAsync(schema.parse(args)), outputOf: (answer) => answer };
}

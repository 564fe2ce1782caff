import type { Arguments, CallContender } from "../contender.ts";
import { find, schema } from "./workload.ts";

/** Parse, call, and return the result as a promise, as an interface for sync and async handlers must. */
export function create(): CallContender {
  return { call: (args: Arguments) => Promise.resolve(find(schema.parse(args))), outputOf: (answer) => answer };
}

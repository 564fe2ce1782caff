import { TimeoutStrategy, bulkhead, timeout, wrap } from "cockatiel";
import type { Answering, Arguments, CallContender } from "../contender.ts";
import { deadlineMs, find, findAsync, schema } from "./workload.ts";

/** A stack of policies around zod and the handler: the duties of the guarded baseline, built from library parts. */
export function create(answering: Answering): CallContender {
  const handler = answering === "sync" ? find : findAsync;
  const policy = wrap(bulkhead(10, 100), timeout(deadlineMs, TimeoutStrategy.Aggressive));
  return {
    call: (args: Arguments) => policy.execute(() => handler(schema.parse(args))),
    outputOf: (answer) => answer,
  };
}

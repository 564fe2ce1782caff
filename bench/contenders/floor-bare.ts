import type { Answering, CallContender } from "../contender.ts";
import { find, findAsync } from "./workload.ts";

/** The handler alone, with arguments that were validated before. */
export function create(answering: Answering): CallContender {
  return {
    prepare: (args) => ({ limit: 10, ...args }),
    call: answering === "sync" ? find : findAsync,
    outputOf: (answer) => answer,
  };
}

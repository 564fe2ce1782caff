import { workerData } from "node:worker_threads";
import { type FailureError, isFailureError } from "../../../base/index.ts";
import type { OpReply, OpRequest, Ops, PlainFailure, WorkerStart } from "./worker-ops.ts";

/** Operations, and a function that converts their errors to failures. */
export interface Served<O extends Ops<O>> {
  readonly ops: O;
  readonly explain: (error: unknown) => FailureError;
}

/** Answers the requests of the main thread, one after another, until `close` has been answered. */
export function serveOps<O extends Ops<O>>({ ops, explain }: Served<O>): void {
  // Set by WorkerLink, which starts this thread and only requests operations of O.
  const { port, progress } = workerData as WorkerStart;
  const handlers = new Map(Object.entries(ops) as [string, (body: unknown) => unknown][]);
  port.on("message", ({ id, op, body }: OpRequest) => {
    let reply: OpReply;
    try {
      reply = { id, value: handlers.get(op)?.(body) };
    } catch (error) {
      reply = { id, failure: plain(isFailureError(error) ? error : explain(error)) };
    }
    port.postMessage(reply);
    Atomics.add(progress, 0, 1);
    Atomics.notify(progress, 0);
    if (op === "close") port.close();
  });
}

function plain(failure: FailureError): PlainFailure {
  return { code: failure.code, message: failure.message, reason: failure.reason };
}

import { type CallEnd, type CallRequest, type RunCalls, type RunningCall, wrapSink } from "../../src/run/index.ts";
import { type JournalSecrets, Opener, Sealer } from "../../src/run/seal-secrets.ts";

/** A queue that holds texts. */
export interface Queue {
  /** Every call and every end that was sent. */
  readonly sent: string[];
  /** The known secrets, with the names of those that chains use: values of them are sent as handles. */
  readonly known?: JournalSecrets & { readonly names: readonly string[] };
}

/** The calls of a run, sent to their runner as JSON texts over a queue; their ends come back in the same way. */
export function queuedCalls(calls: RunCalls, queue: Queue): RunCalls {
  return {
    refuse: (work) => calls.refuse?.(work),
    request: (key, work) => calls.request(key, work),
    ended: (call, result) => calls.ended?.(call, result),
    runner: {
      begin(call, sink) {
        const pass = <T extends CallRequest | CallEnd>(value: T): T => sendOver(queue, call.runId, value);
        const received = pass(call);
        let running: RunningCall | undefined;
        let stopped: "cancelled" | "timeout" | undefined;
        let isDetached = false;
        const ended = (end: CallEnd): void => {
          const arrived = pass(end);
          queueMicrotask(() => sink.ended(arrived));
        };
        queueMicrotask(() => {
          if (isDetached) return;
          running = calls.runner.begin(received, wrapSink(sink, { ended }));
          if (stopped !== undefined) running.stop(stopped);
        });
        return {
          stop: (cause) => {
            stopped = cause;
            running?.stop(cause);
          },
          detach: () => {
            isDetached = true;
            running?.detach();
          },
        };
      },
    },
  };
}

function sendOver<T>({ sent, known }: Queue, runId: string, value: T): T {
  const sealed = known === undefined ? value : new Sealer(runId, known.names, known).data(toData(value));
  const text = JSON.stringify(sealed);
  sent.push(text);
  const arrived: unknown = JSON.parse(text);
  return (known === undefined ? arrived : new Opener(runId, known.secrets, true).data(arrived)) as T;
}

/** Records are instances of a class, which a sealer does not search. */
function toData(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

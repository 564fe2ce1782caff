import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type Clock, type Timer, systemClock, systemErrorCode } from "../../base/index.ts";
import {
  type DataReply,
  type DataJob,
  type DataResult,
  runDataJob,
  doJob,
  isLight,
  unwrapDataAnswer,
} from "./data-job.ts";
import { dataFailure } from "./data-reasons.ts";

/** Idle time after which the thread ends. */
const idleMs = 15_000;

/**
 * A thread for work that would block the event loop, one job after another. It starts with the first job, keeps the
 * process alive only while it works, and ends after some idle time.
 */
export class DataThread {
  readonly #clock: Clock;
  readonly #url: URL;
  #worker: Worker | undefined;
  #idle: Timer | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor({ clock = systemClock, url = workerUrl() }: { readonly clock?: Clock; readonly url?: URL } = {}) {
    this.#clock = clock;
    this.#url = url;
  }

  /** Runs a job: synchronously if it is small, else in the thread. Cancelling ends the work itself. */
  async do(job: DataJob, signal?: AbortSignal): Promise<DataResult> {
    if (isLight(job)) return doJob(job);
    this.#waiting++;
    const turn = this.#last.then(() => this.#run(JSON.stringify(job), signal));
    this.#last = turn.catch(() => {}).finally(() => this.#rest());
    const answer = JSON.parse(await turn) as DataReply;
    // Parsing the reply took time, and so will its consumer.
    await setImmediate();
    return unwrapDataAnswer(answer);
  }

  /** True if the thread is running. */
  get running(): boolean {
    return this.#worker !== undefined;
  }

  async #run(job: string, signal: AbortSignal | undefined): Promise<string> {
    if (signal?.aborted === true) throw cancelled(signal);
    this.#idle?.cancel();
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const abort = (): void => {
      void this.#end();
      reject(cancelled(signal));
    };
    const ended = (): void => reject(tooMuch());
    signal?.addEventListener("abort", abort, { once: true });
    worker.once("message", resolve).once("error", reject).once("exit", ended);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, not a window
    worker.postMessage(job);
    try {
      return await promise;
    } catch (error) {
      void this.#end();
      // A bundle may lack the code of the thread.
      if (["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(systemErrorCode(error) ?? ""))
        return JSON.stringify(await runDataJob(JSON.parse(job) as DataJob));
      throw systemErrorCode(error) === "ERR_WORKER_OUT_OF_MEMORY" ? tooMuch() : error;
    } finally {
      signal?.removeEventListener("abort", abort);
      worker.off("message", resolve).off("error", reject).off("exit", ended);
    }
  }

  #start(): Worker {
    // No inherited flags, no environment: the work needs neither.
    const worker = new Worker(this.#url, {
      execArgv: [],
      env: {},
      name: "windlass-data",
      resourceLimits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64 },
    });
    // A waiting call is notified separately; the thread may also end while no call waits.
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  #rest(): void {
    if (--this.#waiting > 0) return;
    this.#worker?.unref();
    this.#idle = this.#clock.after(idleMs, () => void this.#end());
    this.#idle.hold(false);
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

/**
 * Returns the URL of the thread's code: beside this file in the source, beside this chunk in a bundle. The name is
 * composed here so that no bundler mistakes it for an asset.
 */
function workerUrl(): URL {
  const name = import.meta.url.endsWith(".ts") ? "data-worker.ts" : "data-worker.cjs";
  return new URL(name, import.meta.url);
}

function tooMuch(): Error {
  return dataFailure("too_costly", "the operation takes more memory than is allowed; work on less data");
}

function cancelled(signal: AbortSignal | undefined): Error {
  return dataFailure("aborted", "the work was cancelled", { cause: signal?.reason });
}

/** Shared by the tools; it runs only while one of them needs it. */
export const dataThread: DataThread = new DataThread();

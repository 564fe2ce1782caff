import type * as Threads from "node:worker_threads";
import { type Clock, type FailureError, fail } from "../../../base/index.ts";
import type { OpReply, OpRequest, Ops, WorkerStart } from "./worker-ops.ts";

/** Outcome of an operation. */
export type OpOutcome<T> = { readonly value: T; readonly failure?: undefined } | { readonly failure: FailureError };

/** Receives an outcome when it arrives. */
export type Done<T> = (outcome: OpOutcome<T>) => void;

/** Options of {@link WorkerLink}. */
export interface WorkerLinkOptions {
  readonly url: URL;
  readonly clock: Clock;
  /** Called when the worker ends unexpectedly, before its pending requests fail. */
  readonly onDeath?: (failure: FailureError) => void;
}

/** Time after which a worker that does not end on request is terminated. */
export const workerCloseTimeoutMs = 10_000;

/**
 * The main thread's end of one worker. It keeps the process alive only while a reply is pending. When a worker dies,
 * all pending requests fail with the reason `thread_died`.
 */
export class WorkerLink<O extends Ops<O>> {
  readonly #options: WorkerLinkOptions;
  readonly #worker: Threads.Worker;
  readonly #port: Threads.MessagePort;
  readonly #progress = new Int32Array(new SharedArrayBuffer(4));
  readonly #waiting = new Map<number, Done<unknown>>();
  readonly #exit = Promise.withResolvers<void>();
  #lastId = 0;
  /** Why no operation can be requested any more. */
  #ended: FailureError | undefined;

  constructor(options: WorkerLinkOptions) {
    this.#options = options;
    const { MessageChannel, Worker } = nodeThreads();
    const { port1, port2 } = new MessageChannel();
    const workerData: WorkerStart = { port: port2, progress: this.#progress };
    // No inherited flags: a loader or an inspector of the main thread must not apply here.
    this.#worker = new Worker(options.url, {
      workerData,
      transferList: [port2],
      execArgv: [],
      name: "windlass-sqlite",
    });
    let cause: unknown;
    this.#worker.on("error", (error) => (cause = error));
    this.#worker.on("exit", () => this.#bury(cause));
    this.#port = port1;
    port1.on("message", (reply: OpReply) => this.#settle(reply));
    this.#keepAlive(false);
  }

  get alive(): boolean {
    return this.#ended === undefined;
  }

  /**
   * Requests an operation. `done` is called once: with a message, by {@link poll}, or synchronously if there is no
   * worker.
   */
  send<K extends keyof O & string>(op: K, body: Parameters<O[K]>[0], done: Done<ReturnType<O[K]>>): void {
    if (this.#ended !== undefined) return done({ failure: this.#ended });
    const request: OpRequest = { id: ++this.#lastId, op, body };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, not a window
    this.#port.postMessage(request);
    if (this.#waiting.size === 0) this.#keepAlive(true);
    // The worker answers each operation with the return type in O.
    this.#waiting.set(request.id, done as Done<unknown>);
  }

  /** Requests an operation. */
  call<K extends keyof O & string>(op: K, body: Parameters<O[K]>[0]): Promise<ReturnType<O[K]>> {
    return promiseOutcome((done) => this.send(op, body, done));
  }

  /** Handles replies that have arrived, without a turn of the event loop. */
  poll(): void {
    const { receiveMessageOnPort } = nodeThreads();
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port)) {
      // The worker's end of this port posts nothing else.
      this.#settle(next.message as OpReply);
    }
  }

  /** Blocks this thread until the worker has answered, and handles the answer; false on a timeout. */
  waitForReply(ms: number): boolean {
    const owed = this.#waiting.size;
    for (let late = false; ;) {
      // Read before checking: a reply that arrives in between changes it and ends the wait at once.
      const seen = Atomics.load(this.#progress, 0);
      this.poll();
      if (this.#waiting.size < owed) return true;
      if (late) return false;
      late = Atomics.wait(this.#progress, 0, seen, ms) === "timed-out";
    }
  }

  /** Ends the worker: after all earlier requests, or by force if it does not answer. */
  async close(body: Parameters<O["close"]>[0]): Promise<void> {
    this.send("close", body, () => {});
    this.#ended ??= closedFailure();
    const timer = this.#options.clock.after(workerCloseTimeoutMs, () => this.terminate());
    await this.#exit.promise;
    timer.cancel();
  }

  /** Terminates the worker. */
  terminate(): void {
    void this.#worker.terminate();
  }

  #settle(reply: OpReply): void {
    const done = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#keepAlive(false);
    if ("failure" in reply) {
      const { code, message, reason } = reply.failure;
      done?.({ failure: fail(message, reason === undefined ? { code } : { code, reason }) });
    } else {
      done?.({ value: reply.value });
    }
  }

  #bury(cause: unknown): void {
    // Answers sent before it ended still count.
    this.poll();
    this.#port.close();
    const why = cause instanceof Error ? cause.message : "it exited unexpectedly";
    const failure = fail(`the database thread ended: ${why}`, { code: "store_failed", reason: "thread_died", cause });
    const query = this.#ended !== undefined;
    this.#ended ??= failure;
    this.#exit.resolve();
    const owed = [...this.#waiting.values()];
    this.#waiting.clear();
    if (!query) this.#options.onDeath?.(failure);
    for (const done of owed) done({ failure });
  }

  #keepAlive(alive: boolean): void {
    if (alive) {
      this.#port.ref();
      this.#worker.ref();
    } else {
      this.#port.unref();
      this.#worker.unref();
    }
  }
}

/** The outcome of this request as a promise. */
export function promiseOutcome<T>(request: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    request((outcome) => {
      if (outcome.failure === undefined) resolve(outcome.value);
      else reject(outcome.failure);
    });
  });
}

/** Loaded with the first thread: most commands end without one. */
function nodeThreads(): typeof Threads {
  return process.getBuiltinModule("node:worker_threads");
}

/** The failure of any request after closing. */
export function closedFailure(): FailureError {
  return fail("the database is closed. Open it again to use it", { code: "store_failed", reason: "closed" });
}

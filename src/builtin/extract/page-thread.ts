import { Worker } from "node:worker_threads";
import type { Clock, Timer } from "../../base/index.ts";
import type { DocumentJob, ExtractedDocument } from "./read-document.ts";

/** Messages of the thread: that it is ready, the document that it read, or the failure. */
export type PageWorkerReply =
  | { readonly ready: true }
  | { readonly document: ExtractedDocument }
  | { readonly fault: string };

/** Options of a {@link PageThread}. */
export interface PageThreadOptions {
  readonly url: URL;
  readonly clock: Clock;
  /** A document that takes longer terminates the thread. */
  readonly limitMs: number;
  /** Idle time after which the thread ends. */
  readonly idleMs: number;
  /** Maximum number of waiting documents. */
  readonly maxWaiting: number;
}

interface Waiting {
  readonly job: DocumentJob;
  readonly settle: (document: ExtractedDocument | undefined) => void;
}

/** Loading its code takes a while on a busy machine. */
const startMs = 20_000;

/** A thread that fails this often before it has done anything will not succeed the next time. */
const maxFailedStarts = 3;

/**
 * A thread that reads documents, one after another. It starts with the first one, keeps the process alive only while it
 * works, and ends after some idle time. Documents that it cannot read in time are not read.
 */
export class PageThread {
  readonly #options: PageThreadOptions;
  readonly #waiting: Waiting[] = [];
  #worker: Worker | undefined;
  #ready = false;
  #working: Waiting | undefined;
  #timer: Timer | undefined;
  #failedStarts = 0;
  #closed = false;

  constructor(options: PageThreadOptions) {
    this.#options = options;
  }

  /**
   * Reads a document; undefined if that was not possible: it took too long, crashed the thread, or too many are
   * waiting.
   */
  read(job: DocumentJob, signal?: AbortSignal): Promise<ExtractedDocument | undefined> {
    if (this.#closed || this.#failedStarts >= maxFailedStarts || this.#waiting.length >= this.#options.maxWaiting)
      return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiting: Waiting = {
        job,
        settle: (document) => {
          signal?.removeEventListener("abort", leave);
          resolve(document);
        },
      };
      const leave = (): void => this.#leave(waiting);
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiting);
      this.#next();
    });
  }

  /** True if the thread is running. */
  get running(): boolean {
    return this.#worker !== undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
    for (const { settle } of this.#waiting.splice(0)) settle(undefined);
  }

  /** Starts the next document if the thread is free. */
  #next(): void {
    if (this.#working !== undefined || this.#closed) return;
    if (this.#waiting.length === 0) return this.#rest();
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    if (!this.#ready) return;
    this.#working = this.#waiting.shift();
    if (this.#working === undefined) return;
    this.#setTimer(this.#options.limitMs, true);
    const { job } = this.#working;
    // A copy: otherwise the whole underlying buffer would be transferred, of which this may be a small part.
    const body = new Uint8Array(job.body);
    worker.postMessage({ ...job, body }, [body.buffer]);
  }

  #rest(): void {
    if (this.#worker === undefined) return;
    this.#worker.unref();
    this.#setTimer(this.#options.idleMs, false);
  }

  #start(): Worker {
    // No inherited flags, no environment: a page needs neither.
    const worker = new Worker(this.#options.url, {
      execArgv: [],
      env: {},
      name: "windlass-extract",
      resourceLimits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 },
    });
    worker.on("message", (reply: PageWorkerReply) => {
      if (worker === this.#worker) this.#hear(reply);
    });
    // An exit event follows.
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (worker === this.#worker) this.#lose();
    });
    this.#setTimer(startMs, true);
    return worker;
  }

  #hear(reply: PageWorkerReply): void {
    if ("ready" in reply) {
      this.#ready = true;
      this.#failedStarts = 0;
    } else {
      this.#settle("document" in reply ? reply.document : undefined);
    }
    this.#next();
  }

  /** The thread ended, or is terminated: its current document is not read. */
  #lose(): void {
    const before = this.#ready;
    void this.#end();
    if (before) this.#settle(undefined);
    else if (++this.#failedStarts >= maxFailedStarts) {
      for (const { settle } of this.#waiting.splice(0)) settle(undefined);
    }
    this.#next();
  }

  /** The caller of this document has cancelled. The thread finishes a document that it has started. */
  #leave(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting);
    if (at >= 0) this.#waiting.splice(at, 1);
    waiting.settle(undefined);
  }

  #settle(document: ExtractedDocument | undefined): void {
    const working = this.#working;
    this.#working = undefined;
    working?.settle(document);
  }

  #setTimer(ms: number, hold: boolean): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(ms, () => this.#lose());
    this.#timer.hold(hold);
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#ready = false;
    this.#timer?.cancel();
    if (this.#closed) this.#settle(undefined);
    await worker?.terminate();
  }
}

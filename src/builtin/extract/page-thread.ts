import { Worker } from "node:worker_threads";
import type { Clock, Timer } from "../../base/index.ts";
import type { DocumentJob, ExtractedDocument } from "./read-document.ts";

/** What the thread says: that it can start, what it read, or why it read nothing. */
export type WorkerAnswer =
  | { readonly ready: true }
  | { readonly document: ExtractedDocument }
  | { readonly fault: string };

/** What a {@link PageThread} needs. */
export interface PageThreadOptions {
  readonly url: URL;
  readonly clock: Clock;
  /** A document that takes longer ends the thread. */
  readonly limitMs: number;
  /** A thread that has had nothing to do for so long ends. */
  readonly idleMs: number;
  /** The most documents that wait. */
  readonly maxWaiting: number;
}

interface Waiting {
  readonly job: DocumentJob;
  readonly settle: (document: ExtractedDocument | undefined) => void;
}

/** Loading its code takes a while on a busy machine. */
const startMs = 20_000;

/** A thread that ends so often before it has done anything will not do better the next time. */
const maxFailedStarts = 3;

/**
 * One thread that reads documents, one after another. It starts with the first one, keeps the process alive only while
 * it works, and ends when there has been nothing to do for a while. What it cannot read in time it does not read.
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

  /** Reads a document; undefined where that was not possible: it took too long, broke the thread, or too many wait. */
  read(job: DocumentJob, signal?: AbortSignal): Promise<ExtractedDocument | undefined> {
    const { maxWaiting } = this.#options;
    if (this.#closed || this.#failedStarts >= maxFailedStarts || this.#waiting.length >= maxWaiting)
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

  /** Whether the thread runs. */
  get running(): boolean {
    return this.#worker !== undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
    for (const { settle } of this.#waiting.splice(0)) settle(undefined);
  }

  /** Begins with the next document where the thread is free. */
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
    // A copy of its own: sent as it is, all of the memory would go along of which it may be a small part.
    const body = new Uint8Array(job.body);
    worker.postMessage({ ...job, body }, [body.buffer]);
  }

  #rest(): void {
    if (this.#worker === undefined) return;
    this.#worker.unref();
    this.#setTimer(this.#options.idleMs, false);
  }

  #start(): Worker {
    // No inherited flags, no environment: a page has no business with either.
    const worker = new Worker(this.#options.url, {
      execArgv: [],
      env: {},
      name: "windlass-extract",
      resourceLimits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 },
    });
    worker.on("message", (said: WorkerAnswer) => {
      if (worker === this.#worker) this.#hear(said);
    });
    // The end of the thread follows.
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (worker === this.#worker) this.#lose();
    });
    this.#setTimer(startMs, true);
    return worker;
  }

  #hear(said: WorkerAnswer): void {
    if ("ready" in said) {
      this.#ready = true;
      this.#failedStarts = 0;
    } else {
      this.#settle("document" in said ? said.document : undefined);
    }
    this.#next();
  }

  /** The thread ended, or is ended: what it was working on is not read. */
  #lose(): void {
    const before = this.#ready;
    void this.#end();
    if (before) this.#settle(undefined);
    else if (++this.#failedStarts >= maxFailedStarts) {
      for (const { settle } of this.#waiting.splice(0)) settle(undefined);
    }
    this.#next();
  }

  /** Nobody waits for this document any more. What the thread has begun it finishes. */
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

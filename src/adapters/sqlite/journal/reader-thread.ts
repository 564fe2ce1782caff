import type { Clock } from "../../../base/index.ts";
import { WorkerLink, closedFailure } from "../thread/worker-link.ts";
import type { ReaderOps } from "../thread/worker-ops.ts";

/** Options of {@link ReaderThread}. */
export interface ReaderThreadOptions {
  readonly url: URL;
  readonly file: string;
  readonly clock: Clock;
}

/**
 * A thread that reads the database, so that a long scan blocks neither the event loop nor the writer. Starts on first
 * use.
 */
export class ReaderThread {
  readonly #options: ReaderThreadOptions;
  #link: WorkerLink<ReaderOps> | undefined;
  #closed = false;

  constructor(options: ReaderThreadOptions) {
    this.#options = options;
  }

  call<K extends keyof ReaderOps>(op: K, body: Parameters<ReaderOps[K]>[0]): Promise<ReturnType<ReaderOps[K]>> {
    if (this.#closed) return Promise.reject(closedFailure());
    if (!this.#link?.alive) this.#link = this.#start();
    return this.#link.call(op, body);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#link?.close(null);
  }

  #start(): WorkerLink<ReaderOps> {
    const link = new WorkerLink<ReaderOps>(this.#options);
    // Cannot fail: it only sets the file. Later requests are queued behind it.
    link.send("open", { file: this.#options.file }, () => {});
    return link;
  }
}

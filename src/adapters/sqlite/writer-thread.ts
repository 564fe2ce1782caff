import { type Clock, type FailureError } from "../../base/index.ts";
import { type Done, WorkerLink } from "./worker-link.ts";
import type { WriterOps } from "./worker-ops.ts";

/** What a {@link WriterThread} needs. */
export interface WriterThreadOptions {
  readonly url: URL;
  readonly file: string;
  readonly clock: Clock;
  /** Told when the thread died; it has been started again then, unless it died twice in a row. */
  readonly onDeath: (failure: FailureError) => void;
}

/** The one thread that writes to the database. It is started again when it dies, but not twice without a commit between. */
export class WriterThread {
  readonly #options: WriterThreadOptions;
  #link: WorkerLink<WriterOps>;
  /** Not while opening: whoever opens is told. */
  #opened = false;
  #mayRestart = false;

  private constructor(options: WriterThreadOptions) {
    this.#options = options;
    this.#link = this.#start();
  }

  /** Starts the thread and opens the database: creates it, migrates it or refuses it. */
  static async open(options: WriterThreadOptions): Promise<WriterThread> {
    const thread = new WriterThread(options);
    try {
      await thread.call("open", { file: options.file, now: options.clock.now() });
    } catch (error) {
      await thread.close("");
      throw error;
    }
    thread.#opened = true;
    thread.proven();
    return thread;
  }

  send<K extends keyof WriterOps>(
    op: K,
    body: Parameters<WriterOps[K]>[0],
    done: Done<ReturnType<WriterOps[K]>>,
  ): void {
    this.#link.send(op, body, done);
  }

  call<K extends keyof WriterOps>(op: K, body: Parameters<WriterOps[K]>[0]): Promise<ReturnType<WriterOps[K]>> {
    return this.#link.call(op, body);
  }

  /** False when it died twice in a row: nothing will be written any more. */
  get alive(): boolean {
    return this.#link.alive;
  }

  poll(): void {
    this.#link.poll();
  }

  waitForReply(ms: number): boolean {
    return this.#link.waitForReply(ms);
  }

  /** The thread has done its work: should it die again, it may be started again. */
  proven(): void {
    this.#mayRestart = true;
  }

  /** Ends the thread by force; what it owes fails. */
  abandon(): void {
    this.#mayRestart = false;
    this.#link.terminate();
  }

  close(writer: string): Promise<void> {
    return this.#link.close({ writer });
  }

  #start(): WorkerLink<WriterOps> {
    const { url, clock } = this.#options;
    return new WorkerLink<WriterOps>({ url, clock, onDeath: (failure) => this.#died(failure) });
  }

  #died(failure: FailureError): void {
    if (this.#mayRestart) {
      this.#mayRestart = false;
      this.#link = this.#start();
      // Requests wait behind this one. Should it fail, they fail with the same reason.
      this.#link.send("open", { file: this.#options.file, now: this.#options.clock.now() }, () => {});
    }
    if (this.#opened) this.#options.onDeath(failure);
  }
}

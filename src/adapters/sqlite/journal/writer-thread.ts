import { type Clock, type FailureError } from "../../base/index.ts";
import { EarlyWriter } from "./early-writer.ts";
import { type Done, WorkerLink, closedFailure } from "./worker-link.ts";
import type { WriterOps } from "./worker-ops.ts";

/** What a {@link WriterThread} needs. */
export interface WriterThreadOptions {
  readonly url: URL;
  readonly file: string;
  readonly clock: Clock;
  /** Told when the thread died; it has been started again then, unless it died twice in a row. */
  readonly onDeath: (failure: FailureError) => void;
  /** Start the thread at once; where absent, only when there is more to do than this thread can do in passing. */
  readonly atOnce?: boolean;
}

/**
 * The one that writes to the database: this thread at first, then one of its own. What this thread does is done when
 * it is asked for, so nothing is under way when the other takes over. That one is started again when it dies, but not
 * twice without a commit between.
 */
export class WriterThread {
  readonly #options: WriterThreadOptions;
  /** Either this … */
  #early: EarlyWriter | undefined;
  /** … or that; neither when it was closed before there was a thread. */
  #link: WorkerLink<WriterOps> | undefined;
  /** Not while opening: whoever opens is told. */
  #opened = false;
  #mayRestart = false;

  private constructor(options: WriterThreadOptions) {
    this.#options = options;
    if (options.atOnce === true) this.#link = this.#start();
    else this.#early = new EarlyWriter(options.clock);
  }

  /** Opens the database: creates it, migrates it or refuses it. */
  static async open(options: WriterThreadOptions): Promise<WriterThread> {
    const thread = new WriterThread(options);
    try {
      await thread.call("open", thread.#file());
    } catch (error) {
      await thread.close("");
      throw error;
    }
    thread.#opened = true;
    thread.proven();
    return thread;
  }

  /** Asks for an operation. `done` is called once, perhaps at once. */
  send<K extends keyof WriterOps>(
    op: K,
    body: Parameters<WriterOps[K]>[0],
    done: Done<ReturnType<WriterOps[K]>>,
  ): void {
    const outcome = this.#early?.try(op, body);
    if (outcome !== undefined) return done(outcome);
    this.#takeOver();
    if (this.#link === undefined) done({ failure: closedFailure() });
    else this.#link.send(op, body, done);
  }

  call<K extends keyof WriterOps>(op: K, body: Parameters<WriterOps[K]>[0]): Promise<ReturnType<WriterOps[K]>> {
    return new Promise((resolve, reject) => {
      this.send(op, body, (outcome) => {
        if (outcome.failure === undefined) resolve(outcome.value);
        else reject(outcome.failure);
      });
    });
  }

  /** False when it died twice in a row: nothing will be written any more. */
  get alive(): boolean {
    return this.#early !== undefined || this.#link?.alive === true;
  }

  poll(): void {
    this.#link?.poll();
  }

  waitForReply(ms: number): boolean {
    return this.#link?.waitForReply(ms) ?? false;
  }

  /** The thread has done its work: should it die again, it may be started again. */
  proven(): void {
    this.#mayRestart = true;
  }

  /** Ends the thread by force; what it owes fails. */
  abandon(): void {
    this.#mayRestart = false;
    this.#link?.terminate();
  }

  async close(writer: string): Promise<void> {
    this.#early?.close(writer);
    this.#early = undefined;
    await this.#link?.close({ writer });
  }

  /** Lets a thread go on from here. */
  #takeOver(): void {
    const early = this.#early;
    if (early === undefined) return;
    this.#early = undefined;
    const owners = early.leave();
    this.#link = this.#start();
    if (this.#opened) this.#reopen(owners);
  }

  #start(): WorkerLink<WriterOps> {
    const { url, clock } = this.#options;
    return new WorkerLink<WriterOps>({ url, clock, onDeath: (failure) => this.#died(failure) });
  }

  #died(failure: FailureError): void {
    if (this.#mayRestart) {
      this.#mayRestart = false;
      this.#link = this.#start();
      this.#reopen([]);
    }
    if (this.#opened) this.#options.onDeath(failure);
  }

  /** Requests wait behind this one. Should it fail, they fail with the same reason. */
  #reopen(owners: readonly string[]): void {
    this.#link?.send("open", this.#file(owners), () => {});
  }

  #file(owners: readonly string[] = []): Parameters<WriterOps["open"]>[0] {
    return { file: this.#options.file, now: this.#options.clock.now(), owners };
  }
}

import { type Clock, type FailureError, isFailureError } from "../../../base/index.ts";
import {
  type Done,
  WorkerLink,
  type WorkerLinkOptions,
  closedFailure,
  type OpOutcome,
  promiseOutcome,
} from "../thread/worker-link.ts";
import type { WriterOps } from "../thread/worker-ops.ts";
import { openDatabase } from "./open-database.ts";
import { createWriterOps } from "./writer-ops.ts";

/** Options of {@link WriterThread}. */
export interface WriterThreadOptions extends Required<WorkerLinkOptions> {
  readonly file: string;
  /** Start the thread at once. Default: only when there is more work than this thread can do in passing. */
  readonly atOnce?: boolean;
}

/**
 * The writer of the database: this thread at first, then a worker. This thread works synchronously, so nothing is in
 * flight at the handover. The worker is restarted when it dies, but not twice without a commit between.
 */
export class WriterThread {
  readonly #options: WriterThreadOptions;
  /** Either this … */
  #early: MainThreadWriter | undefined;
  /** … or that; neither if it was closed before there was a thread. */
  #link: WorkerLink<WriterOps> | undefined;
  /** False while opening: then the caller of `open` gets the failure. */
  #opened = false;
  #mayRestart = false;

  private constructor(options: WriterThreadOptions) {
    this.#options = options;
    if (options.atOnce === true) this.#link = this.#start();
    else this.#early = new MainThreadWriter(options.clock);
  }

  /** Opens the database: creates, migrates or rejects it. */
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

  /** Requests an operation. `done` is called once, possibly synchronously. */
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
    return promiseOutcome((done) => this.send(op, body, done));
  }

  /** False if it died twice in a row: nothing will be written any more. */
  get alive(): boolean {
    return this.#early !== undefined || this.#link?.alive === true;
  }

  poll(): void {
    this.#link?.poll();
  }

  waitForReply(ms: number): boolean {
    return this.#link?.waitForReply(ms) ?? false;
  }

  /** Call when the thread has committed: should it die again, it may be restarted. */
  proven(): void {
    this.#mayRestart = true;
  }

  /** Terminates the thread; its pending requests fail. */
  abandon(): void {
    this.#mayRestart = false;
    this.#link?.terminate();
  }

  async close(writer: string): Promise<void> {
    this.#early?.close(writer);
    this.#early = undefined;
    await this.#link?.close({ writer });
  }

  /** Hands over to a worker. */
  #takeOver(): void {
    const early = this.#early;
    if (early === undefined) return;
    this.#early = undefined;
    const owners = early.handOver();
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

  /** Requests are queued behind this one. Should it fail, they fail with the same reason. */
  #reopen(owners: readonly string[]): void {
    this.#link?.send("open", this.#file(owners), () => {});
  }

  #file(owners: readonly string[] = []): Parameters<WriterOps["open"]>[0] {
    return { file: this.#options.file, now: this.#options.clock.now(), owners };
  }
}

/** Maximum time that this thread may be blocked by all operations together: less than a thread takes to start. */
const budgetMs = 25;

/** A batch with more writes goes to the worker at once. */
const maxWrites = 50;

/** Operations that can be repeated if they found the database locked. */
const here: ReadonlySet<string> = new Set<keyof WriterOps>([
  "open",
  "commit",
  "heartbeat",
  "lastNumbers",
  "removeOldest",
  "shrink",
]);

/**
 * Executes the first operations on this thread: a short command ends before a thread has even started. Never waits for
 * another process, and never blocks this thread for long.
 */
class MainThreadWriter {
  readonly #work = createWriterOps((file) => openDatabase(file, 0));
  readonly #clock: Clock;
  #spentMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Executes an operation; undefined if a worker has to execute it and all later ones. */
  try<K extends keyof WriterOps>(
    op: K,
    body: Parameters<WriterOps[K]>[0],
  ): OpOutcome<ReturnType<WriterOps[K]>> | undefined {
    if (!here.has(op) || this.#spentMs > budgetMs || isLarge(body)) return undefined;
    const startedAt = this.#clock.elapsed();
    try {
      // Each operation takes its own body type.
      const run = this.#work.ops[op] as (body: unknown) => ReturnType<WriterOps[K]>;
      return { value: run(body) };
    } catch (error) {
      const failure = isFailureError(error) ? error : this.#work.explain(error);
      return failure.reason === "busy" ? undefined : { failure };
    } finally {
      this.#spentMs += this.#clock.elapsed() - startedAt;
    }
  }

  /** Closes the file; returns the lease holders that the thread has to open it with. */
  handOver(): readonly string[] {
    return this.#work.handOver();
  }

  close(writer: string): void {
    try {
      this.#work.ops.close({ writer });
    } catch {
      // Rows that remain are removed by other processes a day later.
    }
  }
}

function isLarge(body: object | null): boolean {
  return body !== null && "writes" in body && Array.isArray(body.writes) && body.writes.length > maxWrites;
}

import { type Clock, raceAbort } from "../../../base/index.ts";
import type { Ops, ReaderOps } from "./worker-ops.ts";
import { WorkerLink, closedFailure } from "./worker-link.ts";

/** Operations of a thread that first receives its file. */
type FileOps<O> = Ops<O> & { readonly open: (at: { readonly file: string }) => void };

/** Options of {@link LazyThread}. */
interface LazyThreadOptions {
  readonly url: URL;
  readonly file: string;
  readonly clock: Clock;
}

/** A thread that starts on first use, and again after it died. */
export class LazyThread<O extends FileOps<O>> {
  readonly #options: LazyThreadOptions;
  #link: WorkerLink<O> | undefined;
  #closed = false;

  constructor(options: LazyThreadOptions) {
    this.#options = options;
  }

  /** Requests an operation. A caller that stops waiting does not stop the thread, which completes the operation. */
  async call<K extends keyof O & string>(
    op: K,
    body: Parameters<O[K]>[0],
    signal?: AbortSignal,
  ): Promise<ReturnType<O[K]>> {
    signal?.throwIfAborted();
    if (this.#closed) throw closedFailure();
    if (!this.#link?.alive) this.#link = this.#start();
    const answer = this.#link.call(op, body);
    return signal === undefined ? answer : await raceAbort(answer, signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    // All these threads take null here.
    await this.#link?.close(null as Parameters<O["close"]>[0]);
  }

  #start(): WorkerLink<O> {
    const link = new WorkerLink<O>(this.#options);
    // Cannot fail: it only sets the file. Later requests are queued behind it.
    link.send("open", { file: this.#options.file }, () => {});
    return link;
  }
}

/** A thread that reads the journal, so that a long scan blocks neither the event loop nor the writer. */
export type ReaderThread = LazyThread<ReaderOps>;

/** The source file of each thread of the SQLite stores. */
const sources = {
  writer: "../journal/writer.ts",
  reader: "../journal/reader.ts",
  "text-index-worker": "../index/worker.ts",
  "memory-worker": "../memory/memory-worker.ts",
  "page-cache-worker": "../pages/page-cache-worker.ts",
} as const;

/** A thread of the SQLite stores. */
export type WorkerRole = keyof typeof sources;

/**
 * The location of a thread's code: its source file, or in a bundle a file beside this chunk.
 * The name is built here so that no bundler mistakes it for an asset.
 */
export function workerUrl(role: WorkerRole): URL {
  const name = import.meta.url.endsWith(".ts") ? sources[role] : `sqlite-${role}.cjs`;
  return new URL(name, import.meta.url);
}

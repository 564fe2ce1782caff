import { type Clock, orAborted } from "../../base/index.ts";
import type { Ops } from "./worker-ops.ts";
import { WorkerLink, closedFailure } from "./worker-link.ts";

/** Operations of a thread that is told its file first. */
type FileOps<O> = Ops<O> & { readonly open: (at: { readonly file: string }) => void };

/** What a {@link LazyThread} needs. */
export interface LazyThreadOptions {
  readonly url: URL;
  readonly file: string;
  readonly clock: Clock;
}

/** A thread that starts when first asked for something, and again when it died. */
export class LazyThread<O extends FileOps<O>> {
  readonly #options: LazyThreadOptions;
  #link: WorkerLink<O> | undefined;
  #closed = false;

  constructor(options: LazyThreadOptions) {
    this.#options = options;
  }

  /** Asks for an operation. Who stops waiting does not stop the thread, which finishes what it has begun. */
  async call<K extends keyof O & string>(
    op: K,
    body: Parameters<O[K]>[0],
    signal?: AbortSignal,
  ): Promise<ReturnType<O[K]>> {
    signal?.throwIfAborted();
    if (this.#closed) throw closedFailure();
    if (!this.#link?.alive) this.#link = this.#start();
    const answer = this.#link.call(op, body);
    return signal === undefined ? answer : await orAborted(answer, signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Every thread of ours takes null here.
    await this.#link?.close(null as Parameters<O["close"]>[0]);
  }

  #start(): WorkerLink<O> {
    const link = new WorkerLink<O>(this.#options);
    // Cannot fail: it only tells the file. What follows waits behind it.
    link.send("open", { file: this.#options.file }, () => {});
    return link;
  }
}

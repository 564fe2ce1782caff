import { type Clock, isFailureError } from "../../base/index.ts";
import { openDatabase } from "./open-database.ts";
import type { Outcome } from "./worker-link.ts";
import type { WriterOps } from "./worker-ops.ts";
import { createWriterOps } from "./writer-ops.ts";

/** So long may this thread be held, all operations taken together: less than a thread takes to start. */
const budgetMs = 25;

/** A batch with more writes is not held against the budget, but left to a thread at once. */
const maxWrites = 50;

/** Operations that can be asked for a second time, when they found the database locked. */
const here: ReadonlySet<string> = new Set<keyof WriterOps>([
  "open",
  "commit",
  "attend",
  "lastNumbers",
  "removeOldest",
  "shrink",
]);

/**
 * Does the first work on the database on this thread: a short command is over before a thread has even started. Never
 * waits for another process, and never holds this thread for long.
 */
export class EarlyWriter {
  readonly #work = createWriterOps((file) => openDatabase(file, 0));
  readonly #clock: Clock;
  #spentMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does an operation; undefined when a thread has to do it and everything after it. */
  try<K extends keyof WriterOps>(
    op: K,
    body: Parameters<WriterOps[K]>[0],
  ): Outcome<ReturnType<WriterOps[K]>> | undefined {
    if (!here.has(op) || this.#spentMs > budgetMs || isLarge(body)) return undefined;
    const startedAt = this.#clock.elapsed();
    try {
      // Each operation takes the body that belongs to it.
      const run = this.#work.ops[op] as (body: unknown) => ReturnType<WriterOps[K]>;
      return { value: run(body) };
    } catch (error) {
      const failure = isFailureError(error) ? error : this.#work.explain(error);
      return failure.reason === "busy" ? undefined : { failure };
    } finally {
      this.#spentMs += this.#clock.elapsed() - startedAt;
    }
  }

  /** Lets go of the file; gives the owners that the thread has to open it with. */
  leave(): readonly string[] {
    return this.#work.leave();
  }

  close(writer: string): void {
    try {
      this.#work.ops.close({ writer });
    } catch {
      // What it could not tidy up is removed by others, a day later.
    }
  }
}

function isLarge(body: object | null): boolean {
  return body !== null && "writes" in body && Array.isArray(body.writes) && body.writes.length > maxWrites;
}

import type { DatabaseSync, StatementSync } from "node:sqlite";

/** What a write has to fit to. */
export interface HeldRun {
  readonly number: number;
  readonly epoch: number;
  /** The number of its last event. */
  last: number;
}

/** So many runs are remembered at most. */
const maxRuns = 50_000;

/**
 * Knows which runs are held under which epoch. What it has read holds until another connection commits something, which
 * SQLite tells by a number: then it reads again. To be asked only inside a transaction that holds the write lock.
 */
export class RunFence {
  readonly #version: StatementSync;
  readonly #read: StatementSync;
  readonly #held = new Map<string, HeldRun>();
  #seen: unknown;

  constructor(db: DatabaseSync) {
    this.#version = db.prepare("PRAGMA data_version");
    this.#read = db.prepare(
      `SELECT number, epoch, (SELECT max(seq) FROM run_events WHERE run = runs.number) AS last
       FROM runs WHERE id = ? AND owner IS NOT NULL`,
    );
  }

  /** To be called when a transaction begins. */
  begin(): void {
    const version = this.#version.get()?.["data_version"];
    if (version !== this.#seen || this.#held.size > maxRuns) this.#held.clear();
    this.#seen = version;
  }

  /** The run, if it is held under this epoch. */
  find(runId: string, epoch: number): HeldRun | undefined {
    const run = this.#held.get(runId) ?? this.#load(runId);
    return run?.epoch === epoch ? run : undefined;
  }

  /** The run has changed hands, or is over. */
  forget(runId: string): void {
    this.#held.delete(runId);
  }

  /** Forgets what it believed: a transaction was undone. */
  undo(): void {
    this.#held.clear();
  }

  #load(runId: string): HeldRun | undefined {
    const row = this.#read.get(runId);
    if (row === undefined) return undefined;
    const run = { number: Number(row["number"]), epoch: Number(row["epoch"]), last: Number(row["last"]) };
    this.#held.set(runId, run);
    return run;
  }
}

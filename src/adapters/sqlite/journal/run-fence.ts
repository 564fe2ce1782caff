import type { DatabaseSync, StatementSync } from "node:sqlite";

/** The lease state that a write must match. */
export interface FencedRun {
  readonly number: number;
  readonly epoch: number;
  /** The number of its last event. */
  last: number;
  deaths: number;
}

/** Maximum number of cached runs. */
const maxRuns = 50_000;

/**
 * Caches which runs are held under which epoch. The cache is valid until another connection commits, which SQLite
 * reveals by a data version: then it reads again. Use it only inside a transaction that holds the write lock.
 */
export class RunFence {
  readonly #version: StatementSync;
  readonly #read: StatementSync;
  readonly #held = new Map<string, FencedRun>();
  #seen: unknown;

  constructor(db: DatabaseSync) {
    this.#version = db.prepare("PRAGMA data_version");
    this.#read = db.prepare(
      `SELECT number, epoch, deaths, (SELECT max(seq) FROM run_events WHERE run = runs.number) AS last
       FROM runs WHERE id = ? AND lease_holder IS NOT NULL`,
    );
  }

  /** To be called when a transaction begins. */
  begin(): void {
    const version = this.#version.get()?.["data_version"];
    if (version !== this.#seen || this.#held.size > maxRuns) this.#held.clear();
    this.#seen = version;
  }

  /** The run, if it is held under this epoch. */
  find(runId: string, epoch: number): FencedRun | undefined {
    const run = this.#held.get(runId) ?? this.#load(runId);
    return run?.epoch === epoch ? run : undefined;
  }

  /** Call when the run has another lease holder, or is over. */
  forget(runId: string): void {
    this.#held.delete(runId);
  }

  /** Discards cached state after a rollback. */
  undo(): void {
    this.#held.clear();
  }

  #load(runId: string): FencedRun | undefined {
    const row = this.#read.get(runId);
    if (row === undefined) return undefined;
    const [number, epoch] = [Number(row["number"]), Number(row["epoch"])];
    const run = { number, epoch, last: Number(row["last"]), deaths: Number(row["deaths"]) };
    this.#held.set(runId, run);
    return run;
  }
}

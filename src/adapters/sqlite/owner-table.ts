import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { RunOwner } from "../../store/index.ts";
import { isDead } from "./owner-process.ts";

/** An owner that is heard of more often is written down only this often. */
const renewMs = 2000;
const idle = "NOT EXISTS (SELECT 1 FROM runs WHERE runs.owner = owners.id)";

/** Who executes runs, and when each was last heard of. */
export class OwnerTable {
  readonly #db: DatabaseSync;
  readonly #renew: StatementSync;
  /** Owners of this process and when they were written down. */
  readonly #renewed = new Map<string, number>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#renew = db.prepare(
      `INSERT INTO owners (id, pid, process_start, boot_id, renewed_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET renewed_at = excluded.renewed_at`,
    );
  }

  /** Notes that this owner is alive. */
  hear({ id, pid, processStart, bootId }: RunOwner, now: number): void {
    const renewed = this.#renewed.get(id);
    if (renewed !== undefined && Math.abs(now - renewed) < renewMs) return;
    this.#renew.run(id, pid, processStart, bootId, now);
    this.#renewed.set(id, now);
  }

  /** Owners of this process, to be taken over by another connection. */
  own(): readonly string[] {
    return [...this.#renewed.keys()];
  }

  /** Takes over owners of this process that another connection has written down. */
  adopt(ids: readonly string[]): void {
    for (const id of ids) this.#renewed.set(id, -Infinity);
  }

  /** Removes the owners of this process that execute nothing. */
  removeOwn(): void {
    const remove = this.#db.prepare(`DELETE FROM owners WHERE id = ? AND ${idle}`);
    for (const id of this.#renewed.keys()) remove.run(id);
  }

  /** Removes those that execute nothing and were last heard of before this time. */
  removeBefore(time: number): void {
    this.#db.prepare(`DELETE FROM owners WHERE renewed_at < ? AND ${idle}`).run(time);
  }

  /** Forgets what it believed to be written: a transaction was undone. */
  undo(): void {
    this.#renewed.clear();
  }
}

/** An owner as it was last heard of. */
export interface HeardOwner extends RunOwner {
  readonly renewedAt: number;
}

/** Has this owner lost its runs? Either way round: a clock may have been set back. */
export function isGone(owner: HeardOwner, now: number, silenceMs: number): boolean {
  return Math.abs(now - owner.renewedAt) > silenceMs || isDead(owner);
}

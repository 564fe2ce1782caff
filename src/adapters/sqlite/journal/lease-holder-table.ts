import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isProcessGone, processIdentity } from "../../../base/index.ts";
import type { OwnerQueryRow } from "../thread/worker-ops.ts";

/** Minimum interval between two stored heartbeats of a lease holder. */
const renewMs = 2000;
const idle = "NOT EXISTS (SELECT 1 FROM runs WHERE runs.lease_holder = lease_holders.id)";

/** The lease holders of runs, with the time of their last heartbeat. */
export class LeaseHolderTable {
  readonly #db: DatabaseSync;
  readonly #renew: StatementSync;
  #process: ReturnType<typeof processIdentity> | undefined;
  /** Lease holders of this process, with the time of their last stored heartbeat. */
  readonly #renewed = new Map<string, number>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#renew = db.prepare(
      `INSERT INTO lease_holders (id, pid, process_start, boot_id, renewed_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET renewed_at = excluded.renewed_at`,
    );
  }

  /** Records a heartbeat of a lease holder in this process. */
  heartbeat(id: string, now: number): void {
    const renewed = this.#renewed.get(id);
    if (renewed !== undefined && Math.abs(now - renewed) < renewMs) return;
    const { pid, processStart, bootId } = (this.#process ??= processIdentity(process.pid));
    this.#renew.run(id, pid, processStart, bootId, now);
    this.#renewed.set(id, now);
  }

  /** Lease holders of this process, for adoption by another connection. */
  listOwn(): readonly string[] {
    return [...this.#renewed.keys()];
  }

  /** Adopts lease holders of this process that another connection has registered. */
  adopt(ids: readonly string[]): void {
    for (const id of ids) this.#renewed.set(id, -Infinity);
  }

  /** Removes the lease holders of this process that hold no runs. */
  removeOwn(): void {
    const remove = this.#db.prepare(`DELETE FROM lease_holders WHERE id = ? AND ${idle}`);
    for (const id of this.#renewed.keys()) remove.run(id);
  }

  /** Removes lease holders without runs whose last heartbeat was before this time. */
  removeBefore(time: number): void {
    this.#db.prepare(`DELETE FROM lease_holders WHERE renewed_at < ? AND ${idle}`).run(time);
  }

  /** Discards cached state after a rollback. */
  undo(): void {
    this.#renewed.clear();
  }
}

/**
 * True if this lease holder has lost its runs: its process has ended, or was silent for too long. Compares in both
 * directions: a clock may have been set back.
 */
export function isOwnerGone(db: DatabaseSync, { owner, now, silenceMs }: OwnerQueryRow): boolean {
  const row = db.prepare("SELECT * FROM lease_holders WHERE id = ?").get(owner);
  if (row === undefined || Math.abs(now - Number(row["renewed_at"])) > silenceMs) return true;
  const [processStart, bootId] = [String(row["process_start"]), String(row["boot_id"])];
  return isProcessGone({ pid: Number(row["pid"]), processStart, bootId });
}

import type { DatabaseSync } from "node:sqlite";

/** Runs the work in one transaction that holds the write lock from its beginning, and rolls it back when it throws. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    db.exec("COMMIT");
    return value;
  } catch (error) {
    // On some failures, a full disk among them, SQLite has rolled back by itself.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

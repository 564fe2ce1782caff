import type { DatabaseSync } from "node:sqlite";
import { inTransaction } from "../database/in-transaction.ts";
import { setUp } from "../database/set-up.ts";
import { pragma } from "../journal/migrate.ts";
import { createPrivateFile } from "../database/private-file.ts";
import { databaseFailure } from "../database/store-failure.ts";

/** `WNDX`: marks the file as our index. */
const applicationId = 0x574e4458;
/** Another version is not migrated but rebuilt: all its content can be restored from elsewhere. */
const version = 1;

/**
 * Opens or creates a database of data that can be rebuilt: it may lose its last moments in a crash of the machine, and
 * the main thread never waits for its lock.
 */
export function openIndexDatabase(file: string): DatabaseSync {
  createPrivateFile(file);
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  return setUp(new DatabaseSync(file, { timeout: 0 }), (db) => {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${8 * 1024 * 1024}`);
    if (!isOurs(db) || pragma(db, "user_version") !== version) inTransaction(db, () => prepare(db, file));
  });
}

function prepare(db: DatabaseSync, file: string): void {
  const tables = db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
       ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC -- with which the tables behind them go, that cannot be dropped alone
      `,
    )
    .all();
  if (tables.length > 0 && !isOurs(db)) {
    throw databaseFailure(`${file} is the database of another program. Move it away, and an index is created instead`, {
      reason: "foreign_database",
    });
  }
  for (const { name } of tables) db.exec(`DROP TABLE IF EXISTS "${String(name)}"`);
  db.exec(
    `CREATE TABLE results (
       number INTEGER PRIMARY KEY,
       key TEXT NOT NULL UNIQUE, -- a hash
       json TEXT NOT NULL,
       bytes INTEGER NOT NULL,
       expires_at REAL NOT NULL,
       used_at REAL NOT NULL
     ) STRICT;
     CREATE INDEX results_use ON results (used_at, bytes);
     CREATE INDEX results_end ON results (expires_at);
     PRAGMA application_id = ${applicationId};
     PRAGMA user_version = ${version}`,
  );
}

function isOurs(db: DatabaseSync): boolean {
  return pragma(db, "application_id") === applicationId;
}

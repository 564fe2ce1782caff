import type { DatabaseSync } from "node:sqlite";
import type { FailureError } from "../../base/index.ts";
import { inTransaction } from "./in-transaction.ts";
import { refusal } from "./store-failure.ts";

/** `WNDL`: marks the file as ours, so that another program's database is never migrated. */
export const applicationId = 0x574e444c;

/**
 * The steps that bring a database up to date, oldest first; `user_version` counts those done.
 * A released step is never changed, only followed by another.
 */
const steps: readonly string[] = [
  `CREATE TABLE records (
     number INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused, so that a page's position stays valid
     id TEXT NOT NULL,
     tool TEXT NOT NULL,
     version TEXT NOT NULL,
     source TEXT NOT NULL,
     category TEXT NOT NULL,
     args TEXT,
     success INTEGER NOT NULL,
     output TEXT,
     code TEXT,
     error TEXT,
     duration_ms REAL NOT NULL,
     queued_ms REAL NOT NULL,
     attempts INTEGER NOT NULL,
     cached INTEGER NOT NULL,
     caller_type TEXT NOT NULL,
     caller_id TEXT,
     principal TEXT,
     conversation_id TEXT,
     workflow_id TEXT,
     parent_id TEXT,
     reported TEXT,
     created_at REAL NOT NULL
   ) STRICT;
   CREATE INDEX records_time ON records (created_at);
   CREATE INDEX records_tool ON records (tool, created_at);
   CREATE INDEX records_caller_type ON records (caller_type, created_at);
   CREATE INDEX records_caller ON records (caller_id, created_at) WHERE caller_id IS NOT NULL;
   CREATE INDEX records_conversation ON records (conversation_id, created_at) WHERE conversation_id IS NOT NULL;
   CREATE INDEX records_failure ON records (created_at) WHERE success = 0;

   CREATE TABLE approvals (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     key TEXT NOT NULL,
     tool TEXT NOT NULL,
     args TEXT,
     message TEXT NOT NULL,
     caller_type TEXT NOT NULL,
     principal TEXT,
     expires_at REAL NOT NULL,
     status TEXT NOT NULL,
     created_at REAL NOT NULL,
     decided_at REAL,
     decided_by TEXT,
     note TEXT
   ) STRICT;
   CREATE INDEX approvals_key ON approvals (key);

   -- The last batch that each store committed: one that is sent again is not written again.
   CREATE TABLE writers (id TEXT PRIMARY KEY, batch INTEGER NOT NULL, at REAL NOT NULL) STRICT;`,
];

/** The version this Windlass writes. */
export const latestVersion: number = steps.length;

/** What the header says about whose database it is and how new. */
export interface DatabaseMark {
  readonly applicationId: number;
  readonly version: number;
}

/** Refuses a database that is another program's or a newer Windlass's. */
export function checkMark(mark: DatabaseMark, file: string, latest: number = latestVersion): void {
  // Without any mark it is new, or another process is about to mark it.
  if (mark.applicationId === 0 && mark.version === 0) return;
  if (mark.applicationId !== applicationId) throw foreign(file);
  if (mark.version > latest) {
    throw refusal(
      `${file} was written by a newer Windlass (database version ${mark.version}, this one knows ${latest}). ` +
        "Upgrade Windlass, or move the file away to start with an empty database",
      { code: "store_newer", reason: "newer_version" },
    );
  }
}

/** Reads the mark through SQLite. */
export function readMark(db: DatabaseSync): DatabaseMark {
  return { applicationId: pragma(db, "application_id"), version: pragma(db, "user_version") };
}

/** A number that a pragma tells. */
export function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** Brings the database up to date in one transaction; of two processes that try at once, one does it. */
export function migrate(db: DatabaseSync, file: string, todo: readonly string[] = steps): void {
  if (readMark(db).version === todo.length) return;
  inTransaction(db, () => {
    const mark = readMark(db);
    checkMark(mark, file, todo.length);
    if (mark.version === 0 && hasTables(db)) throw foreign(file);
    for (const step of todo.slice(mark.version)) db.exec(step);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${todo.length}`);
  });
}

function hasTables(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}

function foreign(file: string): FailureError {
  const message = `${file} is the database of another program. Move it away to start with an empty one`;
  return refusal(message, { reason: "foreign_database" });
}

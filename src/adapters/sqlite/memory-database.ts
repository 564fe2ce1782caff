import { DatabaseSync } from "node:sqlite";
import { inTransaction } from "./in-transaction.ts";
import { pragma } from "./migrate.ts";
import { createPrivateFile } from "./private-file.ts";
import { isBusy, refusal } from "./store-failure.ts";
import { prepareTextTables } from "./text-index-schema.ts";

/** `WNDM`: marks the file as our memory. */
const applicationId = 0x574e444d;
/** Counts the changes of its tables. */
const version = 1;
const busyTimeoutMs = 10_000;

/**
 * Opens, or makes, the database of memories. They can be had from nowhere else: what was committed is on the disk, and
 * the file is never made anew, whoever wrote it.
 */
export function openMemoryDatabase(file: string): DatabaseSync {
  createPrivateFile(file);
  const db = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    checkMark(db, file);
    enterWal(db);
    // What is forgotten is overwritten.
    db.exec(`PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = ${4 * 1024 * 1024}`);
    prepareTextTables(db);
    if (pragma(db, "user_version") !== version) {
      inTransaction(db, () => db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`));
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function checkMark(db: DatabaseSync, file: string): void {
  const mark = pragma(db, "application_id");
  const written = pragma(db, "user_version");
  const isNew = mark === 0 && written === 0 && !hasForeignTables(db);
  if (!isNew && mark !== applicationId) {
    throw refusal(`${file} is the database of another program. Move it away, or choose another file for memories`, {
      reason: "foreign_database",
    });
  }
  if (written > version) {
    const message = `${file} was written by a newer Windlass (memory version ${written}, this one knows ${version})`;
    throw refusal(`${message}. Upgrade Windlass`, { code: "store_newer", reason: "newer_version" });
  }
}

/** Our own tables may be there without a mark, where a process ended between the two. */
function hasForeignTables(db: DatabaseSync): boolean {
  const row = db.prepare("SELECT 1 FROM sqlite_schema WHERE name NOT LIKE 'text%' AND name NOT LIKE 'sqlite%'").get();
  return row !== undefined;
}

/** Two processes that open a new database at once can be told "busy" here without any waiting: wait and try again. */
function enterWal(db: DatabaseSync): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 1; ; tries++) {
    try {
      db.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || tries === 100) throw error;
      Atomics.wait(pause, 0, 0, 20);
    }
  }
}

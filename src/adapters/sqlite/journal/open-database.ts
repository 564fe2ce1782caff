import { closeSync, openSync, readSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import { type DatabaseMark, checkMark, migrate, pragma, readMark } from "./migrate.ts";
import { setUp } from "../database/set-up.ts";
import { createPrivateFile } from "../database/private-file.ts";
import { cannotWrite, databaseFailure, retryWhileBusy, storeFailure } from "../database/store-failure.ts";

/** Maximum time that a connection waits for the lock of another process. */
export const lockTimeoutMs = 10_000;

/** Opens the database for the writer: creates and migrates it, and rejects foreign databases. */
export function openDatabase(file: string, patienceMs: number = lockTimeoutMs): DatabaseSync {
  try {
    // Private, since records and runs may contain confidential data: only known secrets are redacted.
    createPrivateFile(file);
    refuseUnopened(file);
    return setUp(connect(file, { timeout: patienceMs }), (db) => {
      prepare(db, patienceMs);
      checkMark(readMark(db), file);
      migrate(db, file);
    });
  } catch (error) {
    throw storeFailure(error, file);
  }
}

/** Opens the database for reading only. */
export function openForReading(file: string): DatabaseSync {
  try {
    return connect(file, { readOnly: true, timeout: lockTimeoutMs });
  } catch (error) {
    throw storeFailure(error, file);
  }
}

/**
 * Opens an existing database for reading, if no other connection of this process writes to it. The connection could
 * write, so that it tidies up the log when it is closed; if it may not, it only reads.
 */
export function openToRead(file: string): DatabaseSync {
  try {
    refuseUnopened(file);
    return readable(() => connect(file, { timeout: lockTimeoutMs }), file);
  } catch (error) {
    if (!cannotWrite(error)) throw storeFailure(error, file);
  }
  try {
    return readable(() => connect(file, { readOnly: true, timeout: lockTimeoutMs }), file);
  } catch (error) {
    // Without the log, some of the data would be missing.
    if (!cannotWrite(error) || hasContent(`${file}-wal`)) throw storeFailure(error, file);
  }
  try {
    // Without shared memory, which cannot be created: no process can write here while this one reads.
    const address = pathToFileURL(file);
    address.search = "immutable=1";
    return readable(() => connect(address, { readOnly: true }), file);
  } catch (error) {
    throw storeFailure(error, file);
  }
}

/** A connection that has proved that it can read. */
function readable(open: () => DatabaseSync, file: string): DatabaseSync {
  return setUp(open(), (db) => {
    db.exec("PRAGMA query_only = ON");
    checkMark(readMark(db), file);
  });
}

/** Loads SQLite when it is first needed. */
function connect(file: string | URL, options: DatabaseSyncOptions): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  return new DatabaseSync(file, options);
}

/** Rejects a file by its header, before SQLite touches it or creates side files. */
function refuseUnopened(file: string): void {
  const header = readHeader(file);
  if (header !== undefined) checkMark(header, file);
  if (header === undefined || !hasContent(`${file}-wal`)) return;
  // The log may contain a newer mark. Reading through it does not write to the file; closing a writer would.
  const db = openForReading(file);
  try {
    checkMark(readMark(db), file);
  } finally {
    db.close();
  }
}

/** The mark in the first hundred bytes; undefined for a file that is still empty. */
function readHeader(file: string): DatabaseMark | undefined {
  const header = Buffer.alloc(100);
  const descriptor = openSync(file, "r");
  try {
    const read = readSync(descriptor, header, 0, 100, 0);
    if (read === 0) return undefined;
    if (read < 100 || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
      throw databaseFailure(`${file} is not a database. Move it away to start with an empty one`, {
        reason: "not_a_database",
      });
    }
  } finally {
    closeSync(descriptor);
  }
  return { version: header.readUInt32BE(60), applicationId: header.readUInt32BE(68) };
}

function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function prepare(db: DatabaseSync, patienceMs: number): void {
  // Can be set only before the first page; lets a pruned file shrink without being rewritten.
  if (pragma(db, "page_count") === 0) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
  retryWhileBusy(() => db.exec("PRAGMA journal_mode = WAL"), patienceMs);
  db.exec(`PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = ${32 * 1024 * 1024};
    PRAGMA cache_size = -16000`);
}

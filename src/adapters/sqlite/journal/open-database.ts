import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import { type DatabaseMark, checkMark, migrate, pragma, readMark } from "./migrate.ts";
import { createPrivateFile } from "./private-file.ts";
import { isBusy, refusal, storeFailure } from "./store-failure.ts";

/** How long a connection waits for the lock of another process. */
export const lockPatienceMs = 10_000;

/** Opens the database for the writer: creates what is missing, brings it up to date, refuses what is not ours. */
export function openDatabase(file: string, patienceMs: number = lockPatienceMs): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    // Records may hold what is nobody else's business, and runs must keep outputs as they are.
    createPrivateFile(file);
    refuseUnopened(file);
    db = connect(file, { timeout: patienceMs });
    prepare(db, patienceMs);
    checkMark(readMark(db), file);
    migrate(db, file);
    return db;
  } catch (error) {
    db?.close();
    throw storeFailure(error, file);
  }
}

/** Opens the database for reading only. */
export function openForReading(file: string): DatabaseSync {
  try {
    return connect(file, { readOnly: true, timeout: lockPatienceMs });
  } catch (error) {
    throw storeFailure(error, file);
  }
}

/** Loads SQLite when it is first needed. */
function connect(file: string, options: DatabaseSyncOptions): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  return new DatabaseSync(file, options);
}

/** Refuses by what the file itself says, before SQLite touches it or lays its side files beside it. */
function refuseUnopened(file: string): void {
  const header = readHeader(file);
  if (header !== undefined) checkMark(header, file);
  if (header === undefined || !hasContent(`${file}-wal`)) return;
  // The log may hold a newer mark. Reading through it writes nothing to the file; closing a writer would.
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
      throw refusal(`${file} is not a database. Move it away to start with an empty one`, {
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
  // Can be chosen only before the first page; lets a pruned file shrink without being rewritten.
  if (pragma(db, "page_count") === 0) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
  enterWal(db, patienceMs);
  db.exec(`PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = ${32 * 1024 * 1024};
    PRAGMA cache_size = -16000`);
}

const pauseMs = 20;

/** Two processes that open a new database at once can be told "busy" here without any waiting: wait and try again. */
function enterWal(db: DatabaseSync, patienceMs: number): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      db.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= patienceMs) throw error;
      Atomics.wait(pause, 0, 0, pauseMs);
    }
  }
}

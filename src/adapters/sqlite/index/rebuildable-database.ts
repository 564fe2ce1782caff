import { renameSync, rmSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { FailureError } from "../../../base/index.ts";
import { isDamaged, databaseFailure, storeFailure } from "../database/store-failure.ts";
import { openForReading } from "../journal/open-database.ts";

interface Opened {
  readonly db: DatabaseSync;
  readonly inode: number;
}

/**
 * The database of one thread, with rebuildable content: opened on first use, reopened if another file has replaced it,
 * and recreated if it is damaged. The damaged file stays beside it, as `<file>.damaged`.
 */
export class RebuildableDatabase {
  readonly #open: (file: string) => DatabaseSync;
  #file = "";
  #opened: Opened | undefined;

  constructor(open: (file: string) => DatabaseSync) {
    this.#open = open;
  }

  get file(): string {
    return this.#file;
  }

  /** Switches to this file. */
  openAt(file: string): void {
    this.#file = file;
  }

  /** Fails with the reason `renewed` if damage is detected: a retry works with an empty database. */
  use<T>(work: (db: DatabaseSync) => T): T {
    const { db, inode } = this.#current();
    try {
      return work(db);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      this.close();
      setAside(this.#file, inode);
      throw renewed(this.#file, error);
    }
  }

  close(): void {
    this.#opened?.db.close();
    this.#opened = undefined;
  }

  #current(): Opened {
    if (this.#opened?.inode !== inodeOf(this.#file)) this.close();
    return (this.#opened ??= this.#openWhole());
  }

  #openWhole(): Opened {
    const before = inodeOf(this.#file);
    let db: DatabaseSync;
    try {
      db = this.#open(this.#file);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      setAside(this.#file, before);
      db = this.#open(this.#file);
    }
    return { db, inode: inodeOf(this.#file) };
  }
}

/** Unless another thread or process was faster: then the present file is not the damaged one. */
function setAside(file: string, inode: number): void {
  if (inodeOf(file) !== inode) return;
  renameSync(file, `${file}.damaged`);
  for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true });
}

/** -1 if there is no file. */
function inodeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? -1;
}

function renewed(file: string, cause: unknown): FailureError {
  const message = `the content of ${file} was damaged. It was set aside as ${file}.damaged and is being rebuilt; try again`;
  return databaseFailure(message, { reason: "renewed", cause });
}

/** Lists faults inside an index database; empty if it is intact. Reads all of it and changes nothing. */
export function indexFaults(file: string): readonly string[] {
  try {
    const db = openForReading(file);
    try {
      const rows = db.prepare("PRAGMA quick_check(3)").all();
      return rows.map((row) => String(row["quick_check"])).filter((text) => text !== "ok");
    } finally {
      db.close();
    }
  } catch (error) {
    if (isDamaged(error) && error instanceof Error) return [error.message];
    throw storeFailure(error, file);
  }
}

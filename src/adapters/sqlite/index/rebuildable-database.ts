import { renameSync, rmSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { FailureError } from "../../base/index.ts";
import { isDamaged, refusal } from "./store-failure.ts";

interface Opened {
  readonly db: DatabaseSync;
  readonly inode: number;
}

/**
 * The database of one thread, of what can be had again: opened when first used, opened again when another file has taken
 * its place, and made anew when it is damaged. What was damaged stays beside it, as `<file>.damaged`.
 */
export class RenewableDatabase {
  readonly #open: (file: string) => DatabaseSync;
  #file = "";
  #opened: Opened | undefined;

  constructor(open: (file: string) => DatabaseSync) {
    this.#open = open;
  }

  get file(): string {
    return this.#file;
  }

  /** From now on it is this file. */
  place(file: string): void {
    this.#file = file;
  }

  /** Fails with the reason `renewed` where damage is found on the way: who asks again works with an empty one. */
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

/** Unless another thread or process was faster: what is there now is not what was damaged. */
function setAside(file: string, inode: number): void {
  if (inodeOf(file) !== inode) return;
  renameSync(file, `${file}.damaged`);
  for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true });
}

/** -1 where there is no file. */
function inodeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? -1;
}

function renewed(file: string, cause: unknown): FailureError {
  const message = `the content of ${file} was damaged. It was set aside as ${file}.damaged and is made anew; ask again`;
  return refusal(message, { reason: "renewed", cause });
}

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type Clock, type Timer, nodeCrypto } from "../../../base/index.ts";
import type { ResultCache } from "../../../store/index.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { openIndexDatabase } from "./index-database.ts";
import { isBusy } from "../database/store-failure.ts";

/** Options of {@link SqliteCache}. */
export interface SqliteCacheDeps {
  readonly file: string;
  readonly maxBytes: number;
  readonly maxEntries: number;
  readonly clock: Clock;
  /** Called when the cache stops working; from then on it behaves as an empty cache. */
  readonly onError: (error: unknown) => void;
}

interface Entry {
  readonly json: string;
  readonly bytes: number;
  readonly expiresAt: number;
  readonly usedAt: number;
}

interface Opened {
  readonly db: DatabaseSync;
  readonly find: StatementSync;
  readonly put: StatementSync;
  readonly touch: StatementSync;
}

/** Delay before entries are written, together with those added in the meantime. */
const delayMs = 50;
/** Batch size, small enough not to block the event loop noticeably. */
const entriesPerBatch = 100;
/** Entries beyond this number are dropped while the database cannot be written. */
const maxWaiting = 1000;
const maxWaitingBytes = 16 * 1024 * 1024;
/** Minimum interval between two stored uses of an entry. */
const noteMs = 60_000;

/**
 * A result cache in a file, shared by processes and persisted between them. It is read on this thread, because `get` is
 * synchronous, and written a moment later. Never throws and never waits: a locked or damaged file is a miss.
 */
export class SqliteCache implements ResultCache {
  readonly #parts: SqliteCacheDeps;
  #opened: Opened | undefined;
  #off = false;
  /** Entries not written yet, oldest first. */
  readonly #waiting = new Map<string, Entry>();
  #waitingBytes = 0;
  /** Uses not stored yet. */
  readonly #used = new Map<string, number>();
  /** Time of the caller's clock. */
  #now = -Infinity;
  #timer: Timer | undefined;
  /** Bytes that may still be written before the size limit is checked. */
  #bytesToCheck = 0;
  #entriesToCheck = 0;

  constructor(parts: SqliteCacheDeps) {
    this.#parts = parts;
  }

  get(key: string, now: number): string | undefined {
    const hash = hashOf(key);
    const entry = this.#waiting.get(hash);
    this.#now = now;
    if (entry !== undefined) return now < entry.expiresAt ? entry.json : undefined;
    return this.#try(({ find }) => {
      const row = find.get(hash, now);
      if (typeof row?.["json"] !== "string") return undefined;
      if (now - Number(row["used_at"]) > noteMs) this.#note(hash, now);
      return row["json"];
    });
  }

  set(key: string, json: string, expiresAt: number, now: number): void {
    const hash = hashOf(key);
    const bytes = 2 * (hash.length + json.length);
    this.#now = now;
    if (this.#off || now >= expiresAt || bytes > this.#parts.maxBytes) return;
    this.#unwait(hash);
    this.#waiting.set(hash, { json, bytes, expiresAt, usedAt: now });
    this.#waitingBytes += bytes;
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= maxWaiting && this.#waitingBytes <= maxWaitingBytes) break;
      this.#unwait(oldest);
    }
    this.#schedule();
  }

  clear(): void {
    this.#waiting.clear();
    this.#waitingBytes = 0;
    this.#used.clear();
    this.#try(({ db }) => db.exec("DELETE FROM results"));
  }

  /** Writes pending entries and closes the file. */
  close(): void {
    this.#timer?.cancel();
    while (this.#waiting.size > 0 && this.#write());
    this.#off = true;
    this.#opened?.db.close();
    this.#opened = undefined;
  }

  #note(hash: string, now: number): void {
    this.#used.set(hash, now);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#off) return;
    this.#timer = this.#parts.clock.after(delayMs, () => {
      this.#timer = undefined;
      this.#write();
      if (this.#waiting.size > 0) this.#schedule();
    });
    // The cache does not keep the process alive.
    this.#timer.hold(false);
  }

  /** Writes some pending entries; false if that was not possible. */
  #write(): boolean {
    const batch = [...this.#waiting].slice(0, entriesPerBatch);
    const done = this.#try((opened) => {
      inTransaction(opened.db, () => this.#writeBatch(opened, batch));
      return true;
    });
    if (done !== true) return false;
    for (const [hash] of batch) this.#unwait(hash);
    this.#used.clear();
    return true;
  }

  #writeBatch({ db, put, touch }: Opened, batch: readonly (readonly [string, Entry])[]): void {
    for (const [hash, { json, bytes, expiresAt, usedAt }] of batch) {
      put.run(hash, json, bytes, expiresAt, usedAt);
      this.#bytesToCheck -= bytes;
      this.#entriesToCheck--;
    }
    for (const [hash, usedAt] of this.#used) touch.run(usedAt, hash);
    if (this.#bytesToCheck < 0 || this.#entriesToCheck < 0) this.#evict(db);
  }

  /** Removes expired entries, then the least recently used ones, until a tenth is free. */
  #evict(db: DatabaseSync): void {
    const { maxBytes, maxEntries } = this.#parts;
    db.prepare("DELETE FROM results WHERE expires_at <= ?").run(this.#now);
    const row = db.prepare("SELECT count(*) AS entries, ifnull(sum(bytes), 0) AS bytes FROM results").get();
    let entries = Number(row?.["entries"]);
    let bytes = Number(row?.["bytes"]);
    if (entries > maxEntries || bytes > maxBytes) {
      const remove = db.prepare("DELETE FROM results WHERE number = ?");
      for (const one of db.prepare("SELECT number, bytes FROM results ORDER BY used_at, number").all()) {
        if (entries <= maxEntries * 0.9 && bytes <= maxBytes * 0.9) break;
        remove.run(one["number"] ?? null);
        entries--;
        bytes -= Number(one["bytes"]);
      }
    }
    // Other processes write too: check again before it can be full.
    this.#bytesToCheck = Math.max(0, maxBytes - bytes) / 2;
    this.#entriesToCheck = Math.max(0, maxEntries - entries) / 2;
  }

  #unwait(hash: string): void {
    const entry = this.#waiting.get(hash);
    if (entry === undefined) return;
    this.#waiting.delete(hash);
    this.#waitingBytes -= entry.bytes;
  }

  /** Uses the database; does nothing if it is locked. Any other failure disables the cache. */
  #try<T>(work: (opened: Opened) => T): T | undefined {
    if (this.#off) return undefined;
    try {
      return work((this.#opened ??= this.#open()));
    } catch (error) {
      if (!isBusy(error)) this.#giveUp(error);
      return undefined;
    }
  }

  #giveUp(error: unknown): void {
    this.#off = true;
    this.#waiting.clear();
    this.#waitingBytes = 0;
    try {
      this.#opened?.db.close();
    } catch {
      // It is broken; that is why.
    }
    this.#opened = undefined;
    this.#parts.onError(error);
  }

  #open(): Opened {
    const db = openIndexDatabase(this.#parts.file);
    return {
      db,
      find: db.prepare("SELECT json, used_at FROM results WHERE key = ? AND expires_at > ?"),
      put: db.prepare(
        `INSERT INTO results (key, json, bytes, expires_at, used_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET json = excluded.json, bytes = excluded.bytes,
           expires_at = excluded.expires_at, used_at = excluded.used_at`,
      ),
      touch: db.prepare("UPDATE results SET used_at = ? WHERE key = ?"),
    };
  }
}

/** Keys may be as long as the arguments they are derived from, and as secret. */
function hashOf(key: string): string {
  return nodeCrypto().hash("sha256", key, "base64url");
}

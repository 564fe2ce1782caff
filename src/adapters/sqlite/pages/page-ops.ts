import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { StoredPage } from "../../../store/index.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { openIndexDatabase } from "../index/index-database.ts";
import { serveFile, setUp } from "../database/set-up.ts";
import { retryWhileBusy } from "../database/store-failure.ts";
import type { Served } from "../thread/serve-ops.ts";

/** Limits of a page cache in size and age. */
export interface PageCacheLimits {
  readonly maxBytes: number;
  /** Age after which a page that no server has confirmed is removed. */
  readonly maxAgeMs: number;
}

interface OnePage {
  /** A hash of the address. */
  readonly key: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Operations of the page cache thread, executed one after another. */
export interface PageOps {
  open(at: { readonly file: string }): void;
  get(which: OnePage & Pick<PageCacheLimits, "maxAgeMs">): StoredPage | undefined;
  set(which: OnePage & { readonly page: StoredPage; readonly room: PageCacheLimits }): void;
  delete(which: Pick<OnePage, "key">): void;
  clear(which: null): void;
  close(which: null): void;
}

/** Time that the thread waits for the lock of another process; the page is fetched instead. */
const busyTimeoutMs = 2000;
/** Size of a row besides its texts and its body. */
const rowBytes = 512;

/** The operations on a file that `open` sets; it is opened on first use. */
export function createPageOps(): Served<PageOps> {
  return serveFile<PageOps>(openPages, (database) => ({
    get: (which) => getPage(database(), which),
    set: (which) => inTransaction(database(), () => setPage(database(), which)),
    delete: ({ key }) => void database().prepare("DELETE FROM pages WHERE key = ?").run(key),
    clear: () => database().exec("DELETE FROM pages"),
  }));
}

function openPages(file: string): DatabaseSync {
  const db = retryWhileBusy(() => openIndexDatabase(file));
  return setUp(db, () =>
    db.exec(
      `PRAGMA busy_timeout = ${busyTimeoutMs};
       CREATE TABLE IF NOT EXISTS pages (
         number INTEGER PRIMARY KEY,
         key TEXT NOT NULL UNIQUE, -- a hash
         bytes INTEGER NOT NULL,
         used_at REAL NOT NULL,
         checked_at REAL NOT NULL,
         fresh_until REAL NOT NULL,
         final_url TEXT NOT NULL,
         content_type TEXT NOT NULL,
         etag TEXT,
         last_modified TEXT,
         body BLOB NOT NULL -- last, so that other columns are read without it
       ) STRICT;
       CREATE INDEX IF NOT EXISTS pages_use ON pages (used_at, bytes)`,
    ),
  );
}

function getPage(
  db: DatabaseSync,
  { key, now, maxAgeMs }: OnePage & Pick<PageCacheLimits, "maxAgeMs">,
): StoredPage | undefined {
  const row = db.prepare("SELECT * FROM pages WHERE key = ? AND checked_at >= ?").get(key, now - maxAgeMs);
  if (row === undefined) return undefined;
  noteUse(db, row, now);
  const { etag, last_modified: lastModified, body } = row;
  return {
    finalUrl: String(row["final_url"]),
    contentType: String(row["content_type"]),
    body: body instanceof Uint8Array ? body : new Uint8Array(),
    ...(typeof etag === "string" && { etag }),
    ...(typeof lastModified === "string" && { lastModified }),
    checkedAt: Number(row["checked_at"]),
    freshUntil: Number(row["fresh_until"]),
  };
}

/** Minimum interval between two stored uses of a page. */
const noteMs = 60_000;

function noteUse(db: DatabaseSync, { number, used_at: usedAt }: Record<string, SQLOutputValue>, now: number): void {
  if (Math.abs(now - Number(usedAt)) < noteMs) return;
  db.prepare("UPDATE pages SET used_at = ? WHERE number = ?").run(now, number ?? null);
}

function setPage(
  db: DatabaseSync,
  { key, now, page, room }: OnePage & { readonly page: StoredPage; readonly room: PageCacheLimits },
): void {
  const { finalUrl, contentType, body, etag = null, lastModified = null, checkedAt, freshUntil } = page;
  const bytes = body.byteLength + finalUrl.length + contentType.length + rowBytes;
  db.prepare("DELETE FROM pages WHERE key = ? OR checked_at < ?").run(key, now - room.maxAgeMs);
  if (bytes > room.maxBytes) return;
  evictPages(db, room.maxBytes - bytes);
  db.prepare(
    `INSERT INTO pages (key, bytes, used_at, checked_at, fresh_until, final_url, content_type, etag, last_modified, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(key, bytes, now, checkedAt, freshUntil, finalUrl, contentType, etag, lastModified, body);
}

/** Removes the least recently used pages until the rest fits into the maximum size. */
function evictPages(db: DatabaseSync, maxBytes: number): void {
  let bytes = Number(db.prepare("SELECT ifnull(sum(bytes), 0) AS bytes FROM pages").get()?.["bytes"]);
  if (bytes <= maxBytes) return;
  const remove = db.prepare("DELETE FROM pages WHERE number = ?");
  for (const row of db.prepare("SELECT number, bytes FROM pages ORDER BY used_at, number").all()) {
    if (bytes <= maxBytes) return;
    remove.run(row["number"] ?? null);
    bytes -= Number(row["bytes"]);
  }
}

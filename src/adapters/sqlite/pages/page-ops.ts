import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { StoredPage } from "../../store/index.ts";
import { inTransaction } from "./in-transaction.ts";
import { openIndexDatabase } from "./index-database.ts";
import { patiently } from "./patiently.ts";
import type { Served } from "./serve-ops.ts";
import { storeFailure } from "./store-failure.ts";

/** How much a page cache keeps, and how long. */
export interface PageRoom {
  readonly maxBytes: number;
  /** A page that no server has confirmed for so long is forgotten. */
  readonly maxAgeMs: number;
}

interface OnePage {
  /** A hash of the address. */
  readonly key: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What the thread of the page cache does, one after another. */
export interface PageOps {
  open(at: { readonly file: string }): void;
  get(which: OnePage & Pick<PageRoom, "maxAgeMs">): StoredPage | undefined;
  set(which: OnePage & { readonly page: StoredPage; readonly room: PageRoom }): void;
  delete(which: Pick<OnePage, "key">): void;
  clear(which: null): void;
  close(which: null): void;
}

/** How long the thread waits for the lock of another process; a page is fetched meanwhile. */
const busyTimeoutMs = 2000;
/** What a row takes besides its texts and its body. */
const rowBytes = 512;

/** The operations on a file that `open` names; it is opened when first used. */
export function createPageOps(): Served<PageOps> {
  let file = "";
  let opened: DatabaseSync | undefined;
  const database = (): DatabaseSync => (opened ??= openPages(file));
  const ops: PageOps = {
    open(at) {
      file = at.file;
    },
    get: (which) => getPage(database(), which),
    set: (which) => inTransaction(database(), () => setPage(database(), which)),
    delete: ({ key }) => void database().prepare("DELETE FROM pages WHERE key = ?").run(key),
    clear: () => database().exec("DELETE FROM pages"),
    close() {
      opened?.close();
    },
  };
  return { ops, explain: (error) => storeFailure(error, file) };
}

function openPages(file: string): DatabaseSync {
  const db = patiently(() => openIndexDatabase(file));
  try {
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
         body BLOB NOT NULL -- last, so that nobody has to read past it
       ) STRICT;
       CREATE INDEX IF NOT EXISTS pages_use ON pages (used_at, bytes)`,
    );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function getPage(
  db: DatabaseSync,
  { key, now, maxAgeMs }: OnePage & Pick<PageRoom, "maxAgeMs">,
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

/** A page that was used less than this ago need not be noted again. */
const noteMs = 60_000;

function noteUse(db: DatabaseSync, { number, used_at: usedAt }: Record<string, SQLOutputValue>, now: number): void {
  if (Math.abs(now - Number(usedAt)) < noteMs) return;
  db.prepare("UPDATE pages SET used_at = ? WHERE number = ?").run(now, number ?? null);
}

function setPage(
  db: DatabaseSync,
  { key, now, page, room }: OnePage & { readonly page: StoredPage; readonly room: PageRoom },
): void {
  const { finalUrl, contentType, body, etag = null, lastModified = null, checkedAt, freshUntil } = page;
  const bytes = body.byteLength + finalUrl.length + contentType.length + rowBytes;
  db.prepare("DELETE FROM pages WHERE key = ? OR checked_at < ?").run(key, now - room.maxAgeMs);
  if (bytes > room.maxBytes) return;
  makeRoom(db, room.maxBytes - bytes);
  db.prepare(
    `INSERT INTO pages (key, bytes, used_at, checked_at, fresh_until, final_url, content_type, etag, last_modified, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(key, bytes, now, checkedAt, freshUntil, finalUrl, contentType, etag, lastModified, body);
}

/** Removes pages, those first that were not used for longest, until the rest takes no more than so much. */
function makeRoom(db: DatabaseSync, mostBytes: number): void {
  let bytes = Number(db.prepare("SELECT ifnull(sum(bytes), 0) AS bytes FROM pages").get()?.["bytes"]);
  if (bytes <= mostBytes) return;
  const remove = db.prepare("DELETE FROM pages WHERE number = ?");
  for (const row of db.prepare("SELECT number, bytes FROM pages ORDER BY used_at, number").all()) {
    if (bytes <= mostBytes) return;
    remove.run(row["number"] ?? null);
    bytes -= Number(row["bytes"]);
  }
}

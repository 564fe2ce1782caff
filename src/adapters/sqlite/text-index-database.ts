import type { DatabaseSync } from "node:sqlite";
import { openIndexDatabase } from "./index-database.ts";
import { patiently } from "./patiently.ts";
import { prepareTextTables } from "./text-index-schema.ts";

/** How long a thread of the index waits for the lock of another; nobody on the main thread does. */
const busyTimeoutMs = 30_000;

/** Opens the database of indexes with its tables for texts. */
export function openTextDatabase(file: string): DatabaseSync {
  const db = patiently(() => openIndexDatabase(file));
  try {
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA cache_size = -32000`);
    prepareTextTables(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

import { DatabaseSync } from "node:sqlite";

/** Content of a database, read without the store that wrote it. */
export interface Found {
  readonly integrity: string;
  readonly ids: readonly string[];
}

/** Every record id, and the result of SQLite's integrity check. */
export function readDatabase(file: string): Found {
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    const integrity = String(db.prepare("PRAGMA integrity_check").get()?.["integrity_check"]);
    return {
      integrity,
      ids: db
        .prepare("SELECT id FROM records")
        .all()
        .map((row) => String(row["id"])),
    };
  } finally {
    db.close();
  }
}

import { openForReading } from "./open-database.ts";
import { isDamaged, storeFailure } from "./store-failure.ts";

/** What is wrong inside a database of indexes; nothing where it is whole. Reads it through, and changes nothing. */
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

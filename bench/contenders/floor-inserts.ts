import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../src/adapters/sqlite/journal/open-database.ts";
import { recordColumns, toRecordWrite } from "../../src/adapters/sqlite/journal/record-columns.ts";
import { flattenRecord } from "../../src/store/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import type { RecordContender } from "../contender.ts";

const perTransaction = 1000;

/** The minimum that writes the same rows to disk. */
export function create(folder: string, variant: "bare" | "indexed"): RecordContender {
  const file = join(folder, `${variant}.db`);
  const db = variant === "bare" ? bareTable(file) : openDatabase(file);
  const positions = recordColumns.map(() => "?").join(", ");
  const insert = db.prepare(`INSERT INTO records (${recordColumns.join(", ")}) VALUES (${positions})`);
  const redactor = createRedactor([]);
  return {
    prepare: (records) => {
      const rows = records.map((record) => toRecordWrite(flattenRecord(record, redactor)).slice(1));
      return () => {
        for (let start = 0; start < rows.length; start += perTransaction) {
          db.exec("BEGIN IMMEDIATE");
          for (const row of rows.slice(start, start + perTransaction)) insert.run(...row);
          db.exec("COMMIT");
        }
      };
    },
    count: async () => Number(db.prepare("SELECT count(*) AS count FROM records").get()?.["count"]),
  };
}

function bareTable(file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE records (${recordColumns.join(", ")})`);
  return db;
}

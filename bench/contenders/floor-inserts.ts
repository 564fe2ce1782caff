import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../src/adapters/sqlite/open-database.ts";
import { recordColumns, toWrite } from "../../src/adapters/sqlite/record-columns.ts";
import { flattenRecord } from "../../src/store/index.ts";
import { createRedactor } from "../../src/text/index.ts";
import type { RecordContender } from "../contender.ts";

const perTransaction = 1000;

/** The least that puts the same rows on the disk. */
export function create(folder: string, variant: "bare" | "indexed"): RecordContender {
  const file = join(folder, `${variant}.db`);
  const db = variant === "bare" ? bareTable(file) : openDatabase(file);
  const places = recordColumns.map(() => "?").join(", ");
  const insert = db.prepare(`INSERT INTO records (${recordColumns.join(", ")}) VALUES (${places})`);
  const redactor = createRedactor([]);
  return {
    prepare: (records) => {
      const rows = records.map((record) => toWrite(flattenRecord(record, redactor)).slice(1));
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

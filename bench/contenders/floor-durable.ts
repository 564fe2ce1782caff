import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { recordColumns, toRow } from "../../src/adapters/sqlite/record-columns.ts";
import { flattenRecord } from "../../src/store/index.ts";
import { createRedactor } from "../../src/text/index.ts";
import type { DurableContender } from "../contender.ts";
import { callRecords } from "./call-records.ts";
import { givenOf, searchTool } from "./chain-workload.ts";

/**
 * The least that survives: all runs go in step; what begins is on the disk before it begins, what it gave and its
 * record are on the disk before the next step. A group commit for each, tables without an index, ready-made records,
 * everything on the main thread.
 */
export function create(folder: string, steps: number): DurableContender {
  const db = new DatabaseSync(join(folder, "floor.db"));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE events (run, seq, kind, key, at, data); CREATE TABLE records (${recordColumns.join(", ")})`);
  const insertEvent = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)");
  const insertRecord = db.prepare(`INSERT INTO records VALUES (${recordColumns.map(() => "?").join(", ")})`);
  const redactor = createRedactor([]);
  const rows = callRecords(1, 64).map((record) => toRow(flattenRecord(record, redactor)));
  let begun = 0;
  return {
    async run(runs) {
      const first = begun;
      begun += runs;
      const given = Array.from({ length: runs }, () => givenOf(0));
      for (let step = 0; step < steps; step++) {
        db.exec("BEGIN IMMEDIATE");
        for (let run = 0; run < runs; run++) {
          insertEvent.run(first + run, 2 * step + 1, "started", `s${step}#1`, Date.now(), '{"effect":"idempotent"}');
        }
        db.exec("COMMIT");
        for (let run = 0; run < runs; run++) given[run] = await searchTool.run(searchTool.schema.parse(given[run]));
        db.exec("BEGIN IMMEDIATE");
        for (let run = 0; run < runs; run++) {
          const data = JSON.stringify({ kind: "call", result: { success: true, output: given[run] } });
          insertEvent.run(first + run, 2 * step + 2, "settled", `s${step}#1`, Date.now(), data);
          insertRecord.run(...(rows[run & 63] ?? []));
        }
        db.exec("COMMIT");
      }
      return given.map(({ value }) => value);
    },
    steps: async () => Number(db.prepare("SELECT count(*) AS count FROM records").get()?.["count"]),
  };
}

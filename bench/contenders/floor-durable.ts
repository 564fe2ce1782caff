import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { recordColumns, toRow } from "../../src/adapters/sqlite/journal/record-columns.ts";
import { flattenRecord } from "../../src/store/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import type { DurableContender } from "../contender.ts";
import { callRecords } from "./call-records.ts";
import { inputOf, searchTool } from "./chain-workload.ts";

/**
 * The minimum that survives a crash: all runs proceed in lockstep; the start of a step is on disk before it runs, its
 * output and its record before the next step. One group commit for each, tables without an index, precomputed records,
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
      const input = Array.from({ length: runs }, () => inputOf(0));
      for (let step = 0; step < steps; step++) {
        db.exec("BEGIN IMMEDIATE");
        for (let run = 0; run < runs; run++) {
          insertEvent.run(first + run, 2 * step + 1, "started", `s${step}#1`, Date.now(), '{"effect":"idempotent"}');
        }
        db.exec("COMMIT");
        for (let run = 0; run < runs; run++) input[run] = await searchTool.run(searchTool.schema.parse(input[run]));
        db.exec("BEGIN IMMEDIATE");
        for (let run = 0; run < runs; run++) {
          const data = JSON.stringify({ kind: "call", result: { success: true, output: input[run] } });
          insertEvent.run(first + run, 2 * step + 2, "settled", `s${step}#1`, Date.now(), data);
          insertRecord.run(...(rows[run & 63] ?? []));
        }
        db.exec("COMMIT");
      }
      return input.map(({ value }) => value);
    },
    steps: async () => Number(db.prepare("SELECT count(*) AS count FROM records").get()?.["count"]),
  };
}

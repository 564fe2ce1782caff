// A writer thread with a fault; see open-faulty.ts.
import { existsSync, writeFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../src/adapters/sqlite/journal/open-database.ts";
import { serveOps } from "../../src/adapters/sqlite/thread/serve-ops.ts";
import { createWriterOps } from "../../src/adapters/sqlite/journal/writer-ops.ts";
import type { WriteAnswer, Batch } from "../../src/adapters/sqlite/thread/worker-ops.ts";

const { WINDLASS_TEST_FAULT: fault = "", WINDLASS_TEST_CURE: cure = "" } = process.env;
let db: DatabaseSync | undefined;
let limit: number | undefined;

const { ops, explain } = createWriterOps((file) => {
  db = openDatabase(file);
  return db;
});

const pause = new Int32Array(new SharedArrayBuffer(4));
const faults: Record<string, (batch: Batch) => readonly WriteAnswer[]> = {
  dies() {
    process.exit(4);
  },
  // The replacement works.
  "dies-once-after-commit"(batch) {
    ops.commit(batch);
    writeFileSync(cure, "");
    process.exit(3);
  },
  "dies-once-before-commit"() {
    writeFileSync(cure, "");
    process.exit(4);
  },
  full(batch) {
    limit ??= Number(db?.prepare("PRAGMA page_count").get()?.["page_count"]) + 40;
    db?.exec(`PRAGMA max_page_count = ${limit}`);
    return ops.commit(batch);
  },
  slow(batch) {
    Atomics.wait(pause, 0, 0, 20);
    return ops.commit(batch);
  },
  hangs() {
    Atomics.wait(pause, 0, 0, 60_000);
    return [];
  },
};

serveOps({
  ops: {
    ...ops,
    commit(batch: Batch) {
      if (existsSync(cure)) {
        db?.exec("PRAGMA max_page_count = 1000000");
        return ops.commit(batch);
      }
      return faults[fault]?.(batch) ?? [];
    },
  },
  explain,
});

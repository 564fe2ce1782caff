// A writer thread with a fault; see open-faulty.ts.
import { existsSync, writeFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../src/adapters/sqlite/open-database.ts";
import { serveOps } from "../../src/adapters/sqlite/serve-ops.ts";
import { createWriterOps } from "../../src/adapters/sqlite/writer-ops.ts";
import type { Answer, Batch } from "../../src/adapters/sqlite/worker-ops.ts";

const { WINDLASS_TEST_FAULT: fault = "", WINDLASS_TEST_CURE: cure = "" } = process.env;
let db: DatabaseSync | undefined;

const { ops, explain } = createWriterOps((file) => {
  db = openDatabase(file);
  return db;
});

const pause = new Int32Array(new SharedArrayBuffer(4));
const faults: Record<string, (batch: Batch) => readonly Answer[]> = {
  dies() {
    process.exit(4);
  },
  // The one that is started in its place is sound.
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
    db?.exec("PRAGMA max_page_count = 60");
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

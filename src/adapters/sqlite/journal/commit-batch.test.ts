import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { flattenRecord } from "../../../store/index.ts";
import { BatchCommitter } from "./writer-ops.ts";
import { migrate } from "./migrate.ts";
import { LeaseHolderTable } from "./lease-holder-table.ts";
import { recordColumns, toRecordWrite } from "./record-columns.ts";
import { RunFence } from "./run-fence.ts";
import { RunWrites } from "./run-writes.ts";
import { storeFailure } from "../database/store-failure.ts";
import type { Batch, Write } from "../thread/worker-ops.ts";

let db: DatabaseSync;
let batches: BatchCommitter;

beforeEach(() => {
  db = new DatabaseSync(":memory:");
  migrate(db, "memory");
  batches = new BatchCommitter(db, new RunWrites(db, new RunFence(db), new LeaseHolderTable(db)));
});

const row = (id: string, output = ""): Write =>
  toRecordWrite(
    flattenRecord(
      {
        id,
        tool: "t",
        version: "1",
        source: "s",
        category: "c",
        args: {},
        success: true,
        output,
        durationMs: 1,
        queuedMs: 0,
        attempts: 1,
        cached: false,
        callerType: "direct",
        createdAt: 1,
      },
      { text: (text) => text, value: (value) => value },
    ),
  );
const batch = (number: number, writes: readonly Write[], writer = "w"): Batch => ({ writer, number, now: 1, writes });
const ids = (): unknown[] =>
  db
    .prepare("SELECT id FROM records ORDER BY number")
    .all()
    .map((found) => found["id"]);

describe("committing batches", () => {
  test("a row has a value for every column", () => {
    expect(row("x")).toHaveLength(recordColumns.length + 1);
  });

  test("a batch that is sent again is written once; other writers have numbers of their own", () => {
    batches.commit(batch(1, [row("a")]));
    batches.commit(batch(1, [row("a")]));
    batches.commit(batch(2, [row("b")]));
    batches.commit(batch(1, [row("a")]));
    batches.commit(batch(1, [row("c")], "other"));
    expect(ids()).toEqual(["a", "b", "c"]);
  });

  test("no space: nothing of the batch is committed, and it is written once there is space", () => {
    batches.commit(batch(1, [row("a")]));
    const pages = Number(db.prepare("PRAGMA page_count").get()?.["page_count"]);
    db.exec(`PRAGMA max_page_count = ${pages + 2}`);
    const large = batch(2, [row("b"), row("c", "x".repeat(100_000)), row("d")]);
    let failure: unknown;
    try {
      batches.commit(large);
    } catch (error) {
      failure = storeFailure(error, "memory");
    }
    expect(failure).toMatchObject({ code: "store_full" });
    expect(db.isTransaction).toBe(false);
    expect(ids()).toEqual(["a"]);
    db.exec("PRAGMA max_page_count = 100000");
    batches.commit(large);
    expect(ids()).toEqual(["a", "b", "c", "d"]);
  });
});

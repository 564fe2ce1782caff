import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type SqliteStore, openSqlite } from "../../src/adapters/index.ts";
import { type FailureError, isFailureError } from "../../src/base/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { sampleRecord } from "../conformance/sample-record.ts";
import { openFaulty } from "./open-faulty.ts";
import { readDatabase } from "./read-database.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-full-"));
const disk = join(folder, "disk");
const mounted = mountSmallDisk();
afterAll(() => {
  if (mounted) execFileSync("umount", [disk]);
  rmSync(folder, { recursive: true });
});

function mountSmallDisk(): boolean {
  mkdirSync(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

interface Filled {
  /** Records that were flushed. */
  readonly safe: string[];
  /** Records that were added when the flush failed. */
  readonly unsafe: string[];
  readonly failure: FailureError;
}

async function fill(store: SqliteStore): Promise<Filled> {
  const safe: string[] = [];
  for (;;) {
    const batch = Array.from({ length: 20 }, () => sampleRecord({ output: "x".repeat(2000) }));
    for (const record of batch) store.records.add(record);
    const ids = batch.map(({ id }) => id);
    try {
      await store.records.flush();
      safe.push(...ids);
    } catch (failure) {
      if (isFailureError(failure)) return { safe, unsafe: ids, failure };
      throw failure;
    }
  }
}

describe("a full disk", () => {
  test("fails the flush clearly; once there is space, the buffered records are written, once", async () => {
    const file = join(folder, "limited.db");
    const { store, errors, cure } = await openFaulty("full", { file });
    const { safe, unsafe, failure } = await fill(store);
    expect(failure).toMatchObject({ code: "store_full", message: expect.stringContaining("Free some space") });
    expect(failure.toFailure().retry).toBe("safe");
    // Reading continues, and so do queries: the error is reported once, not every time. A part of the last records may
    // have been committed before the disk was full.
    const stored = (await store.records.query({ limit: 1000 })).records.map(({ id }) => id).toReversed();
    expect(stored).toEqual([...safe, ...unsafe].slice(0, Math.max(stored.length, safe.length)));
    await expect(store.records.flush()).rejects.toMatchObject({ code: "store_full" });
    expect(errors).toMatchObject([{ code: "store_full" }]);
    const later = sampleRecord();
    store.records.add(later);
    cure();
    await store.records.flush();
    await store.close();
    expect(readDatabase(file)).toEqual({ integrity: "ok", ids: [...safe, ...unsafe, later.id] });
  });

  test("buffers no more than the maximum, and reports the loss", async () => {
    const file = join(folder, "lossy.db");
    const { store, errors, cure } = await openFaulty("full", { file, buffer: { maxRecords: 100 } });
    const { safe } = await fill(store);
    for (let i = 0; i < 1000; i++) store.records.add(sampleRecord());
    await expect(store.records.flush()).rejects.toMatchObject({ code: "store_full" });
    expect(await store.stats()).toMatchObject({ waiting: 100, lost: 920 });
    cure();
    // The first flush after a loss reports it, although all buffered records are now written.
    await expect(store.records.flush()).rejects.toMatchObject({ reason: "records_lost", message: /^920 records were/ });
    await store.records.flush();
    expect(errors.map(({ reason }) => reason)).toEqual(["disk_full", "records_lost"]);
    await store.close();
    expect(readDatabase(file).ids).toHaveLength(safe.length + 100);
  });

  test.skipIf(!mounted)(
    "with a real full disk loses nothing, and is written to again when there is space",
    async ({ annotate }) => {
      await annotate("on a tmpfs of 3 MiB");
      const ballast = join(disk, "ballast");
      writeFileSync(ballast, Buffer.alloc(1024 * 1024));
      const file = join(disk, "journal.db");
      const store = await openSqlite({ file, redactor: createRedactor([]), onError: () => {} });
      const { safe, unsafe, failure } = await fill(store);
      expect(failure).toMatchObject({ code: "store_full" });
      expect(safe.length).toBeGreaterThan(0);
      // A checkpoint may free space for the first of the records that failed.
      const stored = (await store.records.query({ limit: 1000 })).records.map(({ id }) => id);
      expect(stored.length).toBeGreaterThanOrEqual(safe.length);
      expect(stored.toReversed()).toEqual([...safe, ...unsafe].slice(0, stored.length));
      rmSync(ballast);
      await store.records.flush();
      await store.close();
      expect(readDatabase(file)).toEqual({ integrity: "ok", ids: [...safe, ...unsafe] });
    },
  );

  test("is reported if a database cannot even be created", async ({ skip }) => {
    skip(!mounted, "only root can mount a small disk");
    writeFileSync(join(disk, "ballast"), Buffer.alloc(8 * 1024 * 1024).subarray(0, freeBytes()));
    await expect(openSqlite({ file: join(disk, "new.db"), redactor: createRedactor([]) })).rejects.toMatchObject({
      code: "store_full",
    });
  });
});

function freeBytes(): number {
  const free = execFileSync("df", ["--output=avail", "-B1", disk]).toString().split("\n")[1];
  return Number(free);
}

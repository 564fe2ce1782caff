import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { openSqlite } from "../../src/adapters/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { sampleRecord } from "../conformance/sample-record.ts";
import { readDatabase } from "./read-database.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-two-"));
afterAll(() => rmSync(folder, { recursive: true }));
const run = promisify(execFile);
const child = join(import.meta.dirname, "writing-child.ts");
const redactor = createRedactor([]);

test("processes that create and fill one database concurrently lose nothing", async () => {
  const file = join(folder, "shared.db");
  const names = ["a", "b", "c"];
  await Promise.all(names.map((name) => run(process.execPath, [child, file, name, "3000"])));
  const { integrity, ids } = readDatabase(file);
  expect(integrity).toBe("ok");
  expect(ids).toHaveLength(9000);
  expect(new Set(ids).size).toBe(9000);
});

test("stores on one file see each other's records and decide approvals once", async () => {
  const file = join(folder, "approvals.db");
  const stores = await Promise.all([1, 2, 3].map(() => openSqlite({ file, redactor })));
  try {
    await Promise.all(
      stores.map(async ({ records }, i) => {
        records.add(sampleRecord({ id: `s${i}` }));
        await records.flush();
      }),
    );
    for (const { records } of stores) expect((await records.query({})).records).toHaveLength(3);

    const requested = await Promise.all(
      stores.map(({ approvals }) =>
        approvals.request({ key: "k", tool: "t", args: {}, message: "m", callerType: "direct", expiresAt: Infinity }),
      ),
    );
    const id = requested[0]!.id;
    expect(requested.map((approval) => approval.id)).toEqual([id, id, id]);
    const decided = await Promise.all(
      stores.map(({ approvals }, i) => approvals.decide(id, { approved: true, by: `p${i}` }, 1)),
    );
    expect(new Set(decided.map((approval) => approval?.decidedBy)).size).toBe(1);
    const used = await Promise.all(stores.map(({ approvals }) => approvals.consume("k", 1)));
    expect(used.filter(Boolean)).toHaveLength(1);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { openSqlite, openSqliteReadOnly } from "../../src/adapters/index.ts";
import { systemClock } from "../../src/base/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { createInMemoryAuditLog, createInMemoryIdempotencyKeys } from "../../src/store/index.ts";
import { auditLogConformance } from "./audit-log.ts";
import { idempotencyKeyStoreConformance } from "./idempotency-key-store.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-access-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = (): string => join(folder, `${++files}.db`);
const redactor = createRedactor([]);
const close = async (): Promise<void> => {};

auditLogConformance("memory", async () => ({ audit: createInMemoryAuditLog(), close }));
auditLogConformance("sqlite", () => openSqlite({ file: newFile(), redactor }));
idempotencyKeyStoreConformance("memory", async () => ({ idempotencyKeys: createInMemoryIdempotencyKeys(), close }));
idempotencyKeyStoreConformance("sqlite", () => openSqlite({ file: newFile(), redactor }));

const request = { id: "a", fingerprint: "f", workId: "w", createdAt: 1000, expiresAt: 2000 };
const entry = { at: 1000, by: "ann", action: "chain.save", outcome: "done" };

test("processes that share a database agree on keys and see each other's entries [P06] [P11]", async () => {
  const file = newFile();
  const stores = await Promise.all([openSqlite({ file, redactor }), openSqlite({ file, redactor })]);
  const begun = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      stores[at % 2 === 0 ? 0 : 1].idempotencyKeys.begin({ ...request, workId: `w${at}` }),
    ),
  );
  expect(begun.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(begun.map((each) => each.request.workId)).size).toBe(1);
  await stores[0].audit.add(entry);
  expect(await stores[1].audit.list({ limit: 5 })).toMatchObject([entry]);
  await Promise.all(stores.map((store) => store.close()));
  const readOnly = openSqliteReadOnly({ file, redactor });
  expect(await readOnly?.audit.list({ limit: 5 })).toMatchObject([entry]);
  await expect(readOnly?.audit.add(entry)).rejects.toMatchObject({ reason: "read_only" });
  await expect(readOnly?.idempotencyKeys.begin(request)).rejects.toMatchObject({ reason: "read_only" });
  await readOnly?.close();
});

test("expired keys are removed, and so are entries that are older than the retention [P06] [P11]", async () => {
  const file = newFile();
  const clock = { ...systemClock, now: () => 10_000 };
  const store = await openSqlite({ file, redactor, clock });
  for (let at = 0; at < 300; at++) await store.idempotencyKeys.begin({ ...request, id: `old ${at}` });
  for (let at = 0; at < 5; at++)
    await store.idempotencyKeys.begin({ ...request, id: `new ${at}`, createdAt: 5000, expiresAt: 6000 });
  await store.audit.add({ ...entry, at: 4000 });
  await store.audit.add({ ...entry, at: 6000 });
  await store.records.prune({ maxAgeMs: 5000 });
  expect(await store.audit.list({ limit: 5 })).toMatchObject([{ at: 6000 }]);
  await store.close();
  const db = new DatabaseSync(file);
  expect(db.prepare("SELECT count(*) AS count FROM idempotency_keys").get()).toEqual({ count: 5 });
  db.close();
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openSqlite, openSqliteReadOnly } from "../../src/adapters/index.ts";
import { systemClock } from "../../src/base/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { createInMemoryApiTokens } from "../../src/store/index.ts";
import { apiTokenStoreConformance } from "./api-token-store.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-tokens-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = (): string => join(folder, `${++files}.db`);
const redactor = createRedactor([]);

apiTokenStoreConformance("memory", async () => ({ tokens: createInMemoryApiTokens(), close: async () => {} }));
apiTokenStoreConformance("sqlite", () => openSqlite({ file: newFile(), redactor }));

const token = { id: "a", hash: "h", name: "ci", scopes: ["read"], createdAt: 1000 };

test("processes that share a database see each other's tokens and revocations [P06]", async () => {
  const file = newFile();
  const [first, second] = await Promise.all([openSqlite({ file, redactor }), openSqlite({ file, redactor })]);
  await first.tokens.add(token);
  expect(await second.tokens.get("a")).toEqual(token);
  await second.tokens.revoke("a", 2000);
  expect(await first.tokens.get("a")).toMatchObject({ revokedAt: 2000 });
  await Promise.all([first.close(), second.close()]);
  const readOnly = openSqliteReadOnly({ file, redactor });
  expect(await readOnly?.tokens.list()).toMatchObject([{ id: "a", revokedAt: 2000 }]);
  await expect(readOnly?.tokens.add({ ...token, id: "b" })).rejects.toMatchObject({ reason: "read_only" });
  await readOnly?.close();
});

test("pruning removes tokens that expired or were revoked before, and no others [P06]", async () => {
  const clock = { ...systemClock, now: () => 10_000 };
  const store = await openSqlite({ file: newFile(), redactor, clock });
  await store.tokens.add({ ...token, id: "expired", expiresAt: 4000 });
  await store.tokens.add({ ...token, id: "revoked" });
  await store.tokens.revoke("revoked", 4000);
  await store.tokens.add({ ...token, id: "just expired", expiresAt: 6000 });
  await store.tokens.add({ ...token, id: "endless" });
  await store.records.prune({ maxBytes: 1e9 });
  expect(await store.tokens.list()).toHaveLength(4);
  await store.records.prune({ maxAgeMs: 5000 });
  expect((await store.tokens.list()).map(({ id }) => id)).toEqual(["endless", "just expired"]);
  await store.close();
});

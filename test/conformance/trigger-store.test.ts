import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openSqlite, openSqliteReadOnly } from "../../src/adapters/index.ts";
import { systemClock } from "../../src/base/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { createInMemoryTriggers } from "../../src/store/index.ts";
import { newFiring, triggerStoreConformance } from "./trigger-store.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-triggers-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = (): string => join(folder, `${++files}.db`);
const redactor = createRedactor([]);

triggerStoreConformance("memory", async () => ({ triggers: createInMemoryTriggers(), close: async () => {} }));
triggerStoreConformance("sqlite", () => openSqlite({ file: newFile(), redactor }));

test("of two processes that share a database, one begins a firing, and both see it [P09]", async () => {
  const file = newFile();
  const [first, second] = await Promise.all([openSqlite({ file, redactor }), openSqlite({ file, redactor })]);
  await first.triggers.register([{ id: "t", digest: "d" }], 1);
  const added = await Promise.all([first, second].map(({ triggers }) => triggers.add("t", newFiring("a"), 10)));
  expect(added.toSorted()).toEqual(["added", "known"]);
  const begun = await Promise.all([first, second].map(({ triggers }) => triggers.begin("t", "a", "alone")));
  expect(begun.filter(Boolean)).toHaveLength(1);
  await Promise.all([first.close(), second.close()]);
  const readOnly = openSqliteReadOnly({ file, redactor });
  expect(await readOnly?.triggers.open()).toMatchObject([{ key: "a", status: "starting" }]);
  expect(await readOnly?.triggers.list()).toHaveLength(1);
  await expect(readOnly?.triggers.register([], 1)).rejects.toMatchObject({ reason: "read_only" });
  await readOnly?.close();
});

test("pruning removes old firings that are over, and keeps those of files and open ones [P09]", async () => {
  const store = await openSqlite({ file: newFile(), redactor, clock: { ...systemClock, now: () => 10_000 } });
  const { triggers } = store;
  await triggers.register([{ id: "t", digest: "d" }], 1);
  const end = (key: string) => triggers.settle("t", key, { from: "waiting", to: "skipped" });
  for (const key of ["old", "open", "new", "file"])
    await triggers.add("t", newFiring(key, { at: key === "new" ? 6000 : 4000, isLasting: key === "file" }), 10);
  for (const key of ["old", "new", "file"]) await end(key);
  await store.records.prune({ maxAgeMs: 5000 });
  expect(await triggers.known("t", ["old", "open", "new", "file"])).toEqual(["file", "new", "open"].toSorted());
  await store.close();
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { openSqlite } from "../../src/adapters/index.ts";
import { createInMemoryApprovals, createInMemoryDeliveries, createInMemoryRunJournal } from "../../src/store/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { deliveryStoreConformance } from "./delivery-store.ts";
import { sampleRun } from "./sample-run.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-deliveries-"));
afterAll(() => rmSync(folder, { recursive: true }));
const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});
let files = 0;

async function openFile() {
  const store = await openSqlite({ file: join(folder, `${++files}.db`), redactor: createRedactor([]) });
  opened.push(() => store.close());
  return store;
}

deliveryStoreConformance("memory", async () => createInMemoryDeliveries());
deliveryStoreConformance("SQLite", async () => (await openFile()).deliveries);

test.each([
  [
    "memory",
    async () => {
      const deliveries = createInMemoryDeliveries();
      return { deliveries, runs: createInMemoryRunJournal({ approvals: createInMemoryApprovals({}), deliveries }) };
    },
  ],
  ["SQLite", openFile],
])("[P05] the end of a run and its messages are stored together in %s; a suspension has none", async (_name, open) => {
  const { runs, deliveries } = await open();
  const { owner } = runs.join();
  const created = await runs.create(sampleRun("r1"), owner);
  if (!("lease" in created)) throw new Error("exists");
  await runs.finish(created.lease, { status: "waiting", at: 5, channels: ["callback/a"] });
  const claim = await runs.claim("r1", owner);
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  await expect(
    runs.finish(created.lease, { status: "success", at: 6, channels: ["callback/a"] }),
  ).rejects.toMatchObject({ code: "run_lost" });
  expect(await deliveries.list()).toHaveLength(0);
  await runs.finish(claim.lease, { status: "success", at: 7, output: "1", channels: ["callback/a", "callback/b"] });
  expect(await deliveries.list()).toMatchObject([
    { channel: "callback/b", subject: "r1/2" },
    { channel: "callback/a", subject: "r1/2", createdAt: 7, status: "pending" },
  ]);
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openSqlite } from "../../src/adapters/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import {
  InMemoryChanges,
  createInMemoryApprovals,
  createInMemoryRunJournal,
  feedStart,
} from "../../src/store/index.ts";
import { approvalOf, changeFeedConformance, executeRun, readAll, short } from "./change-feed.ts";
import { sampleEvent, sampleRun } from "./sample-run.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-feed-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = (): string => join(folder, `${++files}.db`);
const redactor = createRedactor([]);

changeFeedConformance("a journal in memory", async () => {
  const changes = new InMemoryChanges();
  const approvals = createInMemoryApprovals({ changes });
  return { runs: createInMemoryRunJournal({ approvals, changes }), approvals, changes, close: async () => {} };
});
changeFeedConformance("a database", () => openSqlite({ file: newFile(), redactor }));

const all = { runs: true, approvals: true, runIds: [] };

test("changes that were removed with their runs cannot be read any more, and numbers are not used again [P03]", async () => {
  const store = await openSqlite({ file: newFile(), redactor });
  await executeRun(store, "old");
  await store.approvals.request(approvalOf("old"));
  const before = await store.changes.head();
  await store.records.prune({ maxBytes: 1, maxAgeMs: 1 });
  expect(await store.runs.list()).toEqual([]);
  expect(await store.changes.read(feedStart, all)).toBeUndefined();
  expect(await store.changes.read(before, all)).toMatchObject({ changes: [] });
  await executeRun(store, "new");
  const after = await readAll(store.changes, { ...all, runIds: ["new"] }, before);
  expect(after.map(short)).toEqual(["new waiting", "new running", "new event 1", "new event 2", "new success"]);
  expect(
    Math.min(...after.filter(({ kind }) => kind === "event").map(({ position }) => position.event)),
  ).toBeGreaterThan(before.event);
  // Everything about a run is there as long as the run is.
  expect(await readAll(store.changes, { runs: false, approvals: false, runIds: ["new"] })).toHaveLength(5);
  await store.close();
});

test("a feed leaves out large outputs and large arguments, and says so [P03]", async () => {
  const store = await openSqlite({ file: newFile(), redactor });
  const { owner } = store.runs.join();
  const created = await store.runs.create(sampleRun("r1"), owner);
  if (!("lease" in created)) throw new Error("exists");
  for (const [index, size] of [10, 70_000, 400_000].entries())
    await store.runs.append(created.lease, sampleEvent(index + 1, { text: "x".repeat(size) }));
  await store.approvals.request({ ...approvalOf("r1"), args: { text: "x".repeat(100_000) } });
  const changes = await readAll(store.changes, { runs: false, approvals: false, runIds: ["r1"] });
  const events = changes.filter((change) => change.kind === "event");
  expect(events.map(({ isCut = false }) => isCut)).toEqual([false, true, true]);
  for (const { event } of events)
    expect(event.data).toMatchObject({ kind: "call", result: { success: true, tool: "search" } });
  expect(JSON.stringify(changes).length).toBeLessThan(10_000);
  expect(changes.at(-1)).toMatchObject({ kind: "approval", approval: { tool: "wipe", args: undefined } });
  await store.close();
});

test("processes that share a database see each other's changes in one order [P03]", async () => {
  const file = newFile();
  const [first, second] = await Promise.all([openSqlite({ file, redactor }), openSqlite({ file, redactor })]);
  const changed = Promise.withResolvers<void>();
  const leave = second.changes.watch(changed.resolve);
  await Promise.all([executeRun(first, "a", 20), executeRun(second, "b", 20)]);
  await changed.promise;
  leave();
  const filter = { ...all, runIds: ["a", "b"] };
  const [one, other] = [await readAll(first.changes, filter), await readAll(second.changes, filter)];
  expect(one.map(({ position }) => position)).toEqual(other.map(({ position }) => position));
  expect(one.map(short)).toEqual(other.map(short));
  expect(one).toHaveLength(46);
  expect((await first.changes.head()).id).toBe((await second.changes.head()).id);
  await Promise.all([first.close(), second.close()]);
});

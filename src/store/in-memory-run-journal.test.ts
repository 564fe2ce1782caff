import { expect, test } from "vitest";
import { createInMemoryApprovals } from "./in-memory-approvals.ts";
import { createInMemoryRunJournal } from "./in-memory-run-journal.ts";
import { UnfinishedRuns } from "./unfinished-runs.ts";
import type { NewRun, RunStore, RunLease } from "./run-journal.ts";

const owner = "o";
const approvals = createInMemoryApprovals();

function newRun(id: string): NewRun {
  return {
    id,
    kind: "chain",
    name: "c",
    definition: "{}",
    input: "{}",
    context: "{}",
    format: 1,
    fingerprints: "{}",
    startedAt: 1,
  };
}

async function make(runs: RunStore, id: string): Promise<RunLease> {
  const made = await runs.create(newRun(id), owner);
  if ("existing" in made) throw new Error("exists");
  return made.lease;
}

test("an event is stored synchronously, by reference, without a promise", async () => {
  const runs = createInMemoryRunJournal({ approvals });
  const lease = await make(runs, "r1");
  const data = { large: {} };
  expect(runs.append(lease, { seq: 1, kind: "started", key: "k", at: 1, data })).toBeUndefined();
  expect((await runs.read("r1"))?.events[0]?.data).toBe(data);
});

test("the run that finished first is removed first; running ones are never removed", async () => {
  const runs = createInMemoryRunJournal({ approvals, finished: 2 });
  const open = await make(runs, "open");
  await runs.finish(await make(runs, "waits"), { status: "waiting", at: 1 });
  const leases = [];
  for (const id of ["a", "b", "c"]) leases.push(await make(runs, id));
  for (const lease of leases.toReversed()) await runs.finish(lease, { status: "success", at: 1 });
  expect((await runs.list()).map(({ id }) => id)).toEqual(["b", "a", "waits", "open"]);
  expect(await runs.read("c")).toBeUndefined();
  expect(runs.append(open, { seq: 1, kind: "started", key: "k", at: 1, data: null })).toBeUndefined();
});

test("runs that are not prompts of a conversation are counted separately if requested", async () => {
  const runs = createInMemoryRunJournal({ approvals, finished: 1, detached: 3 });
  const over = async (id: string, conversation?: string): Promise<void> => {
    const more = conversation === undefined ? {} : { conversation: { id: conversation, after: 0 } };
    const made = await runs.create({ ...newRun(id), ...more }, owner);
    if ("existing" in made) throw new Error("exists");
    await runs.finish(made.lease, { status: "success", at: 1 });
  };
  for (const id of ["a", "b", "c", "d"]) await over(id);
  for (const id of ["q", "r"]) await over(id, id);
  expect((await runs.list()).map(({ id }) => id)).toEqual(["r", "d", "c", "b"]);
});

test("runs called by a run are retained until it is over, even if another journal has the same id", async () => {
  const unfinished = new UnfinishedRuns();
  const [mine, other, helpers] = [1, 2, 3].map(() => createInMemoryRunJournal({ approvals, finished: 0, unfinished }));
  if (mine === undefined || other === undefined || helpers === undefined) throw new Error("none");
  const [here, there] = [await make(mine, "r"), await make(other, "r")];
  const called = await helpers.create({ ...newRun("sub"), calledBy: "r" }, owner);
  if ("existing" in called) throw new Error("exists");
  await helpers.finish(called.lease, { status: "success", at: 1 });
  await other.finish(there, { status: "success", at: 1 });
  await helpers.finish(await make(helpers, "next"), { status: "success", at: 1 });
  expect(await helpers.read("sub")).toBeDefined();
  await mine.finish(here, { status: "success", at: 1 });
  await helpers.finish(await make(helpers, "last"), { status: "success", at: 1 });
  expect(await helpers.read("sub")).toBeUndefined();
});

test("100 finished runs are retained by default", async () => {
  const runs = createInMemoryRunJournal({ approvals });
  for (let i = 0; i < 130; i++) await runs.finish(await make(runs, `r${i}`), { status: "failed", at: i });
  expect(await runs.list({ limit: 1000 })).toHaveLength(100);
});

test("an invalid number of runs is refused", () => {
  expect(() => createInMemoryRunJournal({ approvals, finished: -1 })).toThrow("finished must be a whole number");
  expect(() => createInMemoryRunJournal({ approvals, finished: 1.5 })).toThrow(RangeError);
  expect(() => createInMemoryRunJournal({ approvals, detached: -1 })).toThrow("detached must be a whole number");
});

test("the turn that a run adds to its conversation is written, unless it is the whole conversation", async () => {
  const runs = createInMemoryRunJournal({ approvals });
  const textBy = async (id: string, conversation: string): Promise<string[]> => {
    const made = await runs.create({ ...newRun(id), conversation: { id: conversation, after: 0 } }, owner);
    if ("existing" in made) throw new Error("exists");
    await runs.finish(made.lease, { status: "success", at: 1, turn: () => `"${id}"` });
    return (await runs.turns(conversation)).map(({ data }) => data);
  };
  expect(await textBy("a", "named")).toEqual(['"a"']);
  expect(await textBy("alone", "alone")).toEqual([]);
});

test("a decision wakes the run that waits for it", async () => {
  const runs = createInMemoryRunJournal({ approvals });
  const expiresAt = Date.now() + 60_000;
  const of = { key: "k", tool: "send", args: {}, message: "?", callerType: "direct", expiresAt };
  const { id } = await approvals.request(of);
  await runs.finish(await make(runs, "r1"), { status: "waiting", at: 1, waitsFor: { approvals: [id] } });
  const executable = () => runs.executable({ kinds: ["chain"], after: 0, limit: 9 });
  expect(await executable()).toEqual([]);
  await approvals.decide(id, { approved: true }, Date.now());
  expect(await executable()).toMatchObject([{ id: "r1" }]);
});

import { expect, test } from "vitest";
import { createMemoryRuns } from "./memory-runs.ts";
import { UnfinishedRuns } from "./unfinished-runs.ts";
import type { NewRun, RunJournal, RunLease, RunOwner } from "./runs.ts";

const owner: RunOwner = { id: "o", pid: 1, processStart: "", bootId: "" };

function newRun(id: string): NewRun {
  return { id, chain: "c", definition: "{}", input: "{}", context: "{}", format: 1, fingerprints: "{}", startedAt: 1 };
}

async function make(runs: RunJournal, id: string): Promise<RunLease> {
  const made = await runs.create(newRun(id), owner);
  if ("existing" in made) throw new Error("exists");
  return made.lease;
}

test("an event is kept at once, by reference, and nothing is waited for", async () => {
  const runs = createMemoryRuns();
  const lease = await make(runs, "r1");
  const data = { large: {} };
  expect(runs.append(lease, { seq: 1, kind: "started", key: "k", at: 1, data })).toBeUndefined();
  expect((await runs.read("r1"))?.events[0]?.data).toBe(data);
});

test("the run that finished first is forgotten first; what goes on never is", async () => {
  const runs = createMemoryRuns({ finished: 2 });
  const open = await make(runs, "open");
  await runs.finish(await make(runs, "waits"), { status: "waiting", at: 1 });
  const leases = [];
  for (const id of ["a", "b", "c"]) leases.push(await make(runs, id));
  for (const lease of leases.toReversed()) await runs.finish(lease, { status: "success", at: 1 });
  expect((await runs.list()).map(({ id }) => id)).toEqual(["b", "a", "waits", "open"]);
  expect(await runs.read("c")).toBeUndefined();
  expect(runs.append(open, { seq: 1, kind: "started", key: "k", at: 1, data: null })).toBeUndefined();
});

test("runs that are no question of a conversation are counted apart where that is said", async () => {
  const runs = createMemoryRuns({ finished: 1, asides: 3 });
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

test("what a run called is kept until it is over, whatever another journal has under its id", async () => {
  const unfinished = new UnfinishedRuns();
  const [mine, other, helpers] = [1, 2, 3].map(() => createMemoryRuns({ finished: 0, unfinished }));
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

test("100 finished runs are kept where nothing else is said", async () => {
  const runs = createMemoryRuns();
  for (let i = 0; i < 130; i++) await runs.finish(await make(runs, `r${i}`), { status: "failed", at: i });
  expect(await runs.list({ limit: 1000 })).toHaveLength(100);
});

test("a number of runs that makes no sense is refused", () => {
  expect(() => createMemoryRuns({ finished: -1 })).toThrow("finished must be a whole number");
  expect(() => createMemoryRuns({ finished: 1.5 })).toThrow(RangeError);
  expect(() => createMemoryRuns({ asides: -1 })).toThrow("asides must be a whole number");
});

test("what a run adds to its conversation is written, unless it is all of it", async () => {
  const runs = createMemoryRuns();
  const saidBy = async (id: string, conversation: string): Promise<string[]> => {
    const made = await runs.create({ ...newRun(id), conversation: { id: conversation, after: 0 } }, owner);
    if ("existing" in made) throw new Error("exists");
    await runs.finish(made.lease, { status: "success", at: 1, turn: () => `"${id}"` });
    return (await runs.turns(conversation)).map(({ data }) => data);
  };
  expect(await saidBy("a", "named")).toEqual(['"a"']);
  expect(await saidBy("alone", "alone")).toEqual([]);
});

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../base/index.ts";
import type { CallRecord, NewJournalEvent, NewRun, RunEnd, RunLease } from "../../../store/index.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { knownSecrets, secretCases, secretRows } from "../../../../test/support/secret-cases.ts";
import { createRedactor } from "../../../secrets/index.ts";
import { type SqliteOptions, openSqlite } from "./open-sqlite.ts";
import { markRunsPruned, removePrunedRuns } from "./prune-runs.ts";
import type { SqliteStore } from "./sqlite-store.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-sqlite-runs-"));
afterAll(() => rmSync(folder, { recursive: true }));
const opened: SqliteStore[] = [];
const owner = "me";
let file: string;
let count = 0;

beforeEach(() => {
  file = join(folder, `${++count}.db`);
});
afterEach(async () => {
  await Promise.allSettled(opened.splice(0).map((store) => store.close()));
});

async function open(options: Partial<SqliteOptions> = {}): Promise<SqliteStore> {
  const store = await openSqlite({ file, redactor: createRedactor(["hunter2secret"]), ...options });
  opened.push(store);
  return store;
}

async function make(store: SqliteStore, id: string, input: Partial<NewRun> = {}): Promise<RunLease> {
  const texts = { definition: '{"steps":[]}', input: "{}", context: "{}", fingerprints: "{}" };
  const made = await store.runs.create(
    { id, kind: "chain", name: "c", format: 1, startedAt: 1, ...texts, ...input },
    owner,
  );
  if ("existing" in made) throw new Error("exists");
  return made.lease;
}

function settled(seq: number, output: unknown, input: Partial<CallRecord> = {}): NewJournalEvent {
  const record: CallRecord = {
    id: `c${seq}`,
    tool: "echo",
    version: "1",
    source: "tools",
    category: "general",
    args: { query: "q" },
    success: true,
    output,
    durationMs: 1,
    queuedMs: 0,
    attempts: 1,
    cached: false,
    callerType: "workflow_node",
    createdAt: 100,
    ...input,
  };
  const data = { kind: "call", result: { success: true, output } };
  return { seq, kind: "settled", key: `s#${seq}`, at: 100, data, record };
}

/** A run that is over, with one call. */
async function finished(
  store: SqliteStore,
  id: string,
  { at = 1, output = "small" }: { readonly at?: number; readonly output?: unknown } = {},
): Promise<void> {
  const lease = await make(store, id, { startedAt: at });
  await store.runs.append(lease, settled(1, output, { id, createdAt: at }));
  const end: RunEnd = { status: "success", at, output: JSON.stringify(output) };
  await store.runs.finish(lease, end);
}

function query(sql: string): unknown[] {
  const db = new DatabaseSync(file);
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row)[0]);
  } finally {
    db.close();
  }
}

describe("the output of a step", () => {
  test("is stored once: in the event", async () => {
    const store = await open();
    const lease = await make(store, "r1");
    await store.runs.append(lease, settled(1, { text: "found only once" }));
    expect((await store.records.query({})).records).toMatchObject([{ id: "c1", output: { text: "found only once" } }]);
    await store.close();
    expect(readFileSync(file, "latin1").split("found only once")).toHaveLength(2);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("an output with a secret is exact for the run, and redacted in the record, also for readers who do not know the secret", async () => {
    const store = await open();
    const lease = await make(store, "r1");
    await store.runs.append(lease, settled(1, { note: "it is hunter2secret" }));
    expect((await store.runs.read("r1"))?.events[0]?.data).toEqual({
      kind: "call",
      result: { success: true, output: { note: "it is hunter2secret" } },
    });
    const other = await open({ redactor: createRedactor([]) });
    for (const { records } of [store, other]) {
      expect((await records.query({})).records).toMatchObject([{ output: { note: "it is [redacted]" } }]);
    }
  });

  test("an output that is large is shared by all that refer to it", async () => {
    const store = await open();
    const large = { text: "x".repeat(1_000_000) };
    for (const id of ["r1", "r2", "r3"]) await finished(store, id, { output: large });
    const { bytes } = await store.stats();
    expect(bytes).toBeLessThan(4_000_000);
    await store.close();
    expect(query("SELECT length(data) FROM blobs ORDER BY 1")).toEqual([12, JSON.stringify(large).length]);
  });

  test("an output that JSON cannot express refuses the event and keeps the record", async () => {
    const store = await open();
    const lease = await make(store, "r1");
    await expect(store.runs.append(lease, settled(1, { big: 1n }))).rejects.toMatchObject({
      code: "store_failed",
      reason: "unwritable",
    });
    await store.runs.append(lease, settled(1, "plain", { id: "c2" }));
    const { records } = await store.records.query({});
    expect(Object.fromEntries(records.map(({ id, output }) => [id, output]))).toMatchObject({
      c1: { $not_json: true },
      c2: "plain",
    });
  });
});

describe("secrets in outputs", () => {
  test.each(secretRows)("never reach the readers of records: $input", async ({ input }) => {
    const store = await open({ redactor: createRedactor(knownSecrets(input)) });
    const lease = await make(store, "r1");
    let seq = 0;
    for (const [, shown] of secretCases(input)) {
      for (const output of [shown, { deep: [shown] }, [shown, "x".repeat(300_000)]]) {
        await store.runs.append(lease, settled(++seq, output));
        expect((await store.runs.read("r1"))?.events.at(-1)?.data).toEqual({
          kind: "call",
          result: { success: true, output },
        });
      }
    }
    // Shapes of secrets are known to every process; a secret itself only to the process that wrote it.
    const other = await open({ redactor: { ...createRedactor([]), text: (text) => text, value: (value) => value } });
    const stored = JSON.stringify([await store.records.query({}), await other.records.query({})]);
    for (const [hidden] of secretCases(input)) expect(stored).not.toContain(hidden);
  });
});

test("a value that no column can hold is rejected alone, without affecting its batch", async () => {
  const store = await open();
  const lease = await make(store, "r1");
  const other = await make(store, "r2");
  const broken = (input: object): NewJournalEvent => ({ ...settled(2, "x"), ...input });
  const append = async (to: RunLease, event: NewJournalEvent): Promise<void> => store.runs.append(to, event);
  const outcomes = await Promise.allSettled([
    append(lease, settled(1, "a")),
    append(lease, broken({ kind: undefined })),
    append(lease, broken({ key: 5n })),
    append(lease, broken({ seq: Number.NaN })),
    append({ runId: Symbol("r1") as unknown as string, epoch: 1 }, settled(2, "x")),
    append({ runId: "r1", epoch: Number.NaN }, settled(2, "x")),
    store.runs.finish({ runId: "r1", epoch: 1 }, { status: {} as "failed", at: 1 }),
    make(store, "r3", { startedAt: Number.NaN }),
    append(lease, broken({ at: Number.NaN, key: "nul\u0000 \ud800" })),
    append(other, settled(1, "b")),
  ]);
  expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
    false,
    false,
    true,
    true,
  ]);
  const events = (await store.runs.read("r1"))?.events;
  expect(events).toMatchObject([{ seq: 1 }, { seq: 2, at: 0, key: expect.stringMatching(/^nul/) as string }]);
  await store.runs.finish(lease, { status: "success", at: 1 });
});

describe("pruning", () => {
  const clock = { ...systemClock, now: () => 10_000 };

  test("pruning by age removes finished runs, with their events, records and blobs; never unfinished ones", async () => {
    const store = await open({ clock });
    await finished(store, "old", { at: 1000, output: "y".repeat(400_000) });
    await finished(store, "new", { at: 9000 });
    const running = await make(store, "running", { startedAt: 1, definition: '{"other":1}' });
    await store.runs.append(running, settled(1, "kept", { createdAt: 1 }));
    await store.runs.finish(await make(store, "waiting", { startedAt: 1 }), { status: "waiting", at: 1 });
    const pruned = await store.records.prune({ maxAgeMs: 5000 });
    expect(pruned).toMatchObject({ records: 2, runs: 1 });
    expect((await store.runs.list()).map(({ id }) => id)).toEqual(["new", "waiting", "running"]);
    expect(await store.runs.read("old")).toBeUndefined();
    // The record is removed for its age; the data that the run needs is not.
    expect((await store.runs.read("running"))?.events).toHaveLength(1);
    await store.runs.append(running, settled(2, "more"));
    expect(await store.stats()).toMatchObject({ runs: 3, records: 2 });
    expect(await store.runs.claim("old", owner)).toEqual({ kind: "unknown" });
    await make(store, "old");
    await store.close();
    expect(query("SELECT data FROM blobs ORDER BY 1")).toEqual(['{"other":1}', '{"steps":[]}']);
    expect(query("SELECT count(*) FROM run_events")).toEqual([3]);
  });

  test("keeps the turns of a conversation as long as any run of it, and then none", async () => {
    const store = await open({ clock });
    const turn = JSON.stringify("x".repeat(5000));
    const addTurn = async (id: string, at: number, talk = "t"): Promise<unknown> =>
      store.runs.finish(await make(store, id, { conversation: { id: talk, after: 0 }, startedAt: at }), {
        status: "success",
        at,
        turn,
      });
    for (let index = 0; index < 250; index++) await addTurn(`old${index}`, index);
    await addTurn("late", 9000);
    await addTurn("other", 1, "gone");
    await store.runs.finish(await make(store, "w", { conversation: { id: "asked", after: 0 } }), {
      status: "waiting",
      at: 1,
    });
    await store.records.prune({ maxAgeMs: 5000 });
    expect((await store.runs.list({ limit: 1000 })).map(({ id }) => id)).toEqual(["late", "w"]);
    expect(await store.runs.turns("t")).toHaveLength(251);
    expect(await store.runs.turns("gone")).toEqual([]);
    await store.records.prune({ maxAgeMs: 0, maxBytes: 0 });
    expect(await store.runs.turns("t")).toEqual([]);
    expect((await store.runs.read("w"))?.run.conversation).toEqual({ id: "asked", after: 0 });
    await store.close();
    expect(query("SELECT count(*) FROM turns")).toEqual([0]);
  });

  test("pruning that was interrupted restores nothing of a conversation whose last run it pruned", async () => {
    const store = await open({ clock });
    const addTurn = async (id: string, at: number): Promise<unknown> =>
      store.runs.finish(await make(store, id, { conversation: { id: "t", after: 0 }, startedAt: at }), {
        status: "success",
        at,
        turn: JSON.stringify(id),
      });
    await Promise.all(Array.from({ length: 250 }, (_, index) => addTurn(`old${index}`, index)));
    const db = new DatabaseSync(file);
    const turnsLeft = (): number => Number(db.prepare("SELECT count(*) AS left FROM turns").get()?.["left"]);
    markRunsPruned(db, { before: 1e9, upTo: 1e9, max: 1e9 });
    expect(await store.runs.turns("t")).toEqual([]);
    while (turnsLeft() === 250) removePrunedRuns(db);
    expect(turnsLeft()).toBeGreaterThan(0);
    await store.runs.addTurn("t", { at: 1, data: "0" });
    expect(await store.runs.turns("t")).toEqual([]);
    await addTurn("new", 9000);
    expect((await store.runs.turns("t")).map(({ data }) => data)).toEqual(['"new"']);
    await addTurn("newer", 9000);
    db.close();
    await store.records.prune({ maxAgeMs: 5000 });
    expect((await store.runs.turns("t")).map(({ data }) => data)).toEqual(['"new"', '"newer"']);
    await store.close();
    expect(query("SELECT count(*) FROM turns")).toEqual([2]);
  });

  test("pruning by size removes the oldest, whether records or runs, and frees their disk space", async () => {
    const store = await open({ clock });
    for (let index = 0; index < 30; index++) {
      await finished(store, `r${index}`, { at: index, output: `${index}`.padEnd(100_000, "z") });
      store.records.add({
        ...settled(1, "").record!,
        id: `alone${index}`,
        createdAt: index,
        output: "w".repeat(50_000),
      });
    }
    const running = await make(store, "running", { startedAt: 0 });
    await store.runs.append(running, settled(1, "v".repeat(200_000)));
    await store.records.flush();
    const { runs = 0 } = await store.records.prune({ maxBytes: 2_000_000 });
    const left = await store.runs.list({ limit: 1000 });
    expect(left).toHaveLength(31 - runs);
    expect(runs).toBeGreaterThan(10);
    expect(runs).toBeLessThan(29);
    expect(left.map(({ id }) => id)).toEqual([
      ...Array.from({ length: 30 - runs }, (_, index) => `r${29 - index}`),
      "running",
    ]);
    expect((await store.runs.read("r29"))?.events).toHaveLength(1);
    expect((await store.stats()).bytes).toBeLessThan(2_400_000);
    const { faults } = await store.check();
    expect(faults).toEqual([]);
  });

  test("a run of many events is written in batches, between which other runs commit", async () => {
    const store = await open({ clock });
    const lease = await make(store, "long");
    for (let seq = 1; seq < 3000; seq++) void store.runs.append(lease, settled(seq, seq));
    await store.runs.append(lease, settled(3000, "last"));
    await store.runs.finish(lease, { status: "failed", at: 1 });
    const other = await make(store, "other");
    const pruning = { now: true };
    const pruned = store.records.prune({ maxAgeMs: 0 }).finally(() => (pruning.now = false));
    let seq = 0;
    while (pruning.now) await store.runs.append(other, settled(++seq, "o", { createdAt: 1e15 }));
    expect(await pruned).toMatchObject({ runs: 1, records: 3000 });
    expect(seq).toBeGreaterThan(3);
    await store.close();
    expect(query("SELECT count(*) FROM run_events")).toEqual([seq]);
  });
});

test("a backup holds the runs too", async () => {
  const store = await open();
  await finished(store, "r1", { output: { text: "x".repeat(400_000) } });
  const lease = await make(store, "r2");
  await store.runs.append(lease, settled(1, "a"));
  const target = join(folder, `backup-${count}.db`);
  await store.backup(target);
  const copy = await open({ file: target });
  expect(await copy.stats()).toMatchObject({ runs: 2, records: 2 });
  expect((await copy.runs.read("r1"))?.events).toEqual((await store.runs.read("r1"))?.events);
  expect(await copy.check()).toMatchObject({ faults: [] });
});

test("closing removes the lease holder, and any process may claim its runs", async () => {
  const store = await open();
  await make(store, "r1");
  await finished(store, "r2");
  await store.close();
  expect(query("SELECT count(*) FROM lease_holders")).toEqual([0]);
  const next = await open();
  expect(await next.runs.claim("r1", owner)).toMatchObject({ kind: "claimed", lease: { epoch: 2 } });
  await expect(store.runs.create({ ...(await next.runs.list())[0]!, id: "r3" }, owner)).rejects.toMatchObject({
    reason: "closed",
  });
});

test("an owner whose signs of life cannot be stored is stopped once others consider it gone", async () => {
  const clock = new FakeClock();
  const store = await open({ clock });
  const liveness = store.runs.join();
  const { owner: me } = liveness;
  const isGone = () => liveness.isGone(me);
  let stops = 0;
  liveness.onLost(() => stops++);
  await store.runs.changes(me, []);
  expect(await isGone()).toBe(false);
  const other = new DatabaseSync(file);
  other.exec("ALTER TABLE lease_holders RENAME TO elsewhere");
  const fail = async (): Promise<void> => {
    await expect(store.runs.changes(me, [])).rejects.toMatchObject({ code: "store_failed" });
  };
  clock.advance(14_000);
  await fail();
  expect(stops).toBe(0);
  clock.advance(2000);
  await fail();
  expect(stops).toBe(1);
  other.exec("ALTER TABLE elsewhere RENAME TO lease_holders");
  other.close();
  expect(await isGone()).toBe(true);
  await store.runs.changes(me, []);
  expect([await isGone(), stops]).toEqual([false, 1]);
});

test("heartbeats within two seconds of the last write do not write again", async () => {
  let now = 1000;
  const store = await open({ clock: { ...systemClock, now: () => now } });
  await make(store, "r1");
  const renewed = async (): Promise<unknown> => {
    await store.runs.changes(owner, ["r1"]);
    return query("SELECT renewed_at FROM lease_holders")[0];
  };
  expect(await renewed()).toBe(1000);
  now = 2900;
  expect(await renewed()).toBe(1000);
  now = 3100;
  expect(await renewed()).toBe(3100);
  // The clock was set back.
  now = 500;
  expect(await renewed()).toBe(500);
});

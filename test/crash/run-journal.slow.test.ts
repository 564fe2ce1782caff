import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { createInterface } from "node:readline";
import { setTimeout as after } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type SqliteStore, openSqlite } from "../../src/adapters/index.ts";
import type { SqliteOptions } from "../../src/adapters/sqlite/journal/open-sqlite.ts";
import { type FailureError, isFailureError } from "../../src/base/index.ts";
import type { NewJournalEvent, RunLease } from "../../src/store/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { sampleRecord } from "../conformance/sample-record.ts";
import { sampleEvent, sampleRun, settledCall } from "../conformance/sample-run.ts";
import { openFaulty } from "./open-faulty.ts";
import { readDatabase } from "./read-database.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-run-crash-"));
const program = join(import.meta.dirname, "run-journal-child.ts");
const stores: SqliteStore[] = [];
const children: Child[] = [];
let files = 0;

afterEach(async () => {
  for (const { process } of children.splice(0)) {
    process.kill("SIGCONT");
    process.kill("SIGKILL");
  }
  await Promise.allSettled(stores.splice(0).map((store) => store.close()));
});
afterAll(() => rmSync(folder, { recursive: true }));

const newFile = (): string => join(folder, `${++files}.db`);

async function open(file: string, options: Partial<SqliteOptions> = {}): Promise<SqliteStore> {
  const store = await openSqlite({ file, redactor: createRedactor([]), ...options });
  stores.push(store);
  return store;
}

async function make(store: SqliteStore, id: string): Promise<RunLease> {
  const made = await store.runs.create(sampleRun(id), store.runs.join().owner);
  if ("existing" in made) throw new Error(`${id} exists`);
  return made.lease;
}

interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** The next line it prints. */
  line(): Promise<string>;
  /** Sends a command and returns the answer. */
  report(order: string): Promise<string>;
  /** Kills it and returns its unread output. */
  kill(): Promise<string[]>;
}

function start(...args: string[]): Child {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => (await lines.next()).value ?? "";
  const started: Child = {
    process: child,
    line,
    async report(order) {
      child.stdin.write(`${order}\n`);
      return line();
    },
    async kill() {
      // Its output ends a moment before it does.
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      const rest: string[] = [];
      for (let next = await lines.next(); !next.done; next = await lines.next()) rest.push(next.value);
      await ended;
      return rest;
    },
  };
  children.push(started);
  return started;
}

interface Acknowledged {
  /** The last event that was reported as durable. */
  readonly seq: number;
  readonly over: boolean;
}

/** Records a line that `run-journal-child.ts` printed; the last one may be truncated. */
function acknowledge(line: string, acknowledged: Map<string, Acknowledged>): void {
  const [, id, what = ""] = /^(k\d+-\d+-\d+) (\d+|over)$/.exec(line) ?? [];
  if (id === undefined) return;
  const seen = acknowledged.get(id) ?? { seq: 0, over: false };
  acknowledged.set(id, what === "over" ? { ...seen, over: true } : { ...seen, seq: Number(what) });
}

describe("kill -9", () => {
  test(
    "20 times: acknowledged events are stored, without gaps, each call with one record; dead holders lose their runs immediately",
    { timeout: 120_000 },
    async () => {
      const file = newFile();
      const survivor = await open(file);
      const acknowledged = new Map<string, Acknowledged>();
      for (let round = 0; round < 20; round++) {
        const child = start(file, "write", `k${round}`);
        const first = await child.line();
        await after((round * 37) % 120);
        for (const text of [first, ...(await child.kill())]) acknowledge(text, acknowledged);
      }
      expect(acknowledged.size).toBeGreaterThanOrEqual(20);
      const abandoned = new Set((await survivor.runs.list({ abandoned: true, limit: 1000 })).map(({ id }) => id));
      for (const [id, { seq, over }] of acknowledged) {
        const begin = performance.now();
        const claim = await survivor.runs.claim(id, survivor.runs.join().owner);
        expect(performance.now() - begin).toBeLessThan(1000);
        if (claim.kind !== "claimed" && claim.kind !== "finished") throw new Error(`${id} is ${claim.kind}`);
        expect(claim.kind === "finished" || !over).toBe(true);
        expect(abandoned.has(id)).toBe(claim.kind === "claimed");
        expect(claim.run.output).toBe(claim.kind === "finished" ? `${claim.events.length / 2}` : undefined);
        expect(claim.events.length).toBeGreaterThanOrEqual(seq);
        expect(claim.events.map((event) => event.seq)).toEqual(claim.events.map((_, index) => index + 1));
        const settled = claim.events.filter(({ kind }) => kind === "settled").map((event) => `${id}-${event.seq}`);
        const { records } = await survivor.records.query({ callerId: id, limit: 1000 });
        expect(records.map((record) => record.id).toSorted()).toEqual(settled.toSorted());
        const next = sampleEvent(claim.events.length + 1);
        if (claim.kind === "claimed") await survivor.runs.append(claim.lease, next);
      }
      await survivor.close();
      expect(readDatabase(file).integrity).toBe("ok");
    },
  );

  test("before the first event leaves a run that is listed as abandoned", async () => {
    const file = newFile();
    const store = await open(file);
    const id = "early";
    const child = start(file, "make", id);
    expect(await child.line()).toBe("made");
    expect(await store.runs.claim(id, store.runs.join().owner)).toMatchObject({ kind: "held" });
    expect(await store.runs.list({ abandoned: true })).toEqual([]);
    await child.kill();
    expect((await store.runs.list({ abandoned: true })).map((run) => run.id)).toContain(id);
    expect(await store.runs.claim(id, store.runs.join().owner)).toMatchObject({ kind: "claimed", lease: { epoch: 2 } });
  });
});

describe("two processes on one database", () => {
  test("a stopped holder loses its run after a while, and cannot write when it wakes up", async () => {
    const file = newFile();
    const store = await open(file, { leaseTimeoutMs: 400 });
    const child = start(file, "hold", "r1");
    expect(await child.line()).toBe("ready");
    await child.report("heartbeat");
    child.process.kill("SIGSTOP");
    expect(await store.runs.claim("r1", store.runs.join().owner)).toMatchObject({ kind: "held" });
    let claim = await store.runs.claim("r1", store.runs.join().owner);
    for (; claim.kind === "held"; claim = await store.runs.claim("r1", store.runs.join().owner)) await after(50);
    if (claim.kind !== "claimed") throw new Error(claim.kind);
    await store.runs.append(claim.lease, sampleEvent(2, "right"));
    child.process.kill("SIGCONT");
    expect(await child.report("append")).toBe("run_lost");
    expect(await child.report("finish")).toBe("run_lost");
    await store.runs.append(claim.lease, sampleEvent(3));
    const read = await store.runs.read("r1");
    expect(read?.run).toMatchObject({ status: "running", epoch: 2 });
    expect(read?.events).toEqual([sampleEvent(1), sampleEvent(2, "right"), sampleEvent(3)]);
    // Rejected as an event, but stored as a record: the call was made.
    expect((await store.records.query({})).records).toMatchObject([{ output: "late" }]);
  });

  test("if several processes claim a run at once, one wins, and only that one can write", async () => {
    const file = newFile();
    const several = await Promise.all([1, 2, 3].map(() => open(file)));
    const [first] = several;
    for (let round = 0; round < 20; round++) {
      const id = `r${round}`;
      await first!.runs.finish(await make(first!, id), { status: "running", at: 1 });
      const claims = await Promise.all(several.map(({ runs }) => runs.claim(id, runs.join().owner)));
      expect(claims.map(({ kind }) => kind).toSorted()).toEqual(["claimed", "held", "held"]);
      const writes = await Promise.allSettled(
        several.map(async ({ runs }, index) => {
          const claim = claims[index]!;
          return runs.append(claim.kind === "claimed" ? claim.lease : { runId: id, epoch: 1 }, sampleEvent(1));
        }),
      );
      expect(writes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    }
  });

  test("closing a store releases its runs immediately", async () => {
    const file = newFile();
    const store = await open(file);
    const child = start(file, "hold", "r1");
    expect(await child.line()).toBe("ready");
    expect(await child.report("close")).toBe("ok");
    expect(await store.runs.list({ abandoned: true })).toHaveLength(1);
    expect(await store.runs.claim("r1", store.runs.join().owner)).toMatchObject({
      kind: "claimed",
      events: [{ seq: 1 }],
    });
  });
});

describe("a full disk", () => {
  test("fails the append clearly; nothing of it is written later, and the run can be resumed", async () => {
    const file = newFile();
    const { store, cure, errors } = await openFaulty("full", { file });
    stores.push(store);
    const { owner } = store.runs.join();
    const made = await store.runs.create(sampleRun("r1"), owner);
    if ("existing" in made) throw new Error("exists");
    const fill = async (): Promise<{ readonly seq: number; readonly failure: FailureError }> => {
      for (let seq = 1; ; seq++) {
        try {
          await store.runs.append(made.lease, settledCall(seq, "x".repeat(5000), { id: `c${seq}` }));
        } catch (failure) {
          if (isFailureError(failure)) return { seq, failure };
          throw failure;
        }
      }
    };
    const { seq, failure } = await fill();
    expect(failure).toMatchObject({ code: "store_full" });
    await expect(store.runs.append(made.lease, sampleEvent(seq + 1))).rejects.toMatchObject({ code: "store_full" });
    await expect(store.runs.finish(made.lease, { status: "failed", at: 1 })).rejects.toMatchObject({
      code: "store_full",
    });
    expect(errors).toMatchObject([{ code: "store_full" }]);
    expect((await store.runs.read("r1"))?.events).toHaveLength(seq - 1);
    cure();
    const claim = await store.runs.claim("r1", owner);
    if (claim.kind !== "claimed") throw new Error(claim.kind);
    expect(claim.events).toHaveLength(seq - 1);
    await store.runs.append(claim.lease, sampleEvent(seq));
    await store.runs.finish(claim.lease, { status: "success", at: 1 });
    // The call whose event did not fit was made: its record was buffered and is written now.
    await store.records.flush();
    expect(readDatabase(file).ids).toEqual(Array.from({ length: seq }, (_, index) => `c${index + 1}`));
  });
});

test("once a full disk has space, new writes can be read, although all buffered ones were dropped", async () => {
  const file = newFile();
  const { store, cure } = await openFaulty("full", { file });
  stores.push(store);
  const lease = await make(store, "r1");
  const large = "x".repeat(400_000);
  await expect(store.runs.append(lease, sampleEvent(1, large))).rejects.toMatchObject({ code: "store_full" });
  cure();
  const record = sampleRecord();
  store.records.add(record);
  expect((await store.records.query({})).records).toEqual([record]);
  await store.runs.append(lease, sampleEvent(1));
});

describe("a writer thread", () => {
  test.each(["dies-once-before-commit", "dies-once-after-commit"] as const)(
    "a writer thread that %s is replaced; every event is written once, and rejected writers get an error",
    async (fault) => {
      const file = newFile();
      const sound = await open(file);
      const lost = await make(sound, "lost");
      const held = await make(sound, "held");
      await sound.runs.finish(lost, { status: "waiting", at: 1 });
      const { store } = await openFaulty(fault, { file });
      stores.push(store);
      const append = async (lease: RunLease, event: NewJournalEvent): Promise<void> => store.runs.append(lease, event);
      const outcomes = await Promise.allSettled([
        append(held, settledCall(1, "a")),
        append(lost, sampleEvent(1)),
        append(held, sampleEvent(3)),
        append(held, settledCall(2, "b")),
      ]);
      expect(outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : "written"))).toMatchObject([
        "written",
        { code: "run_lost" },
        { code: "store_failed", reason: "journal_gap" },
        "written",
      ]);
      expect((await store.runs.read("held"))?.events).toEqual([sampleEvent(1, "a"), sampleEvent(2, "b")]);
      expect((await store.records.query({})).records).toHaveLength(2);
    },
  );

  test("a writer thread that keeps dying fails all waiting writes", async () => {
    const { store } = await openFaulty("dies", { file: newFile() });
    stores.push(store);
    await expect(store.runs.create(sampleRun("r1"), store.runs.join().owner)).rejects.toMatchObject({
      code: "store_failed",
    });
    await expect(store.runs.claim("r1", store.runs.join().owner)).rejects.toMatchObject({ code: "store_failed" });
  });
});

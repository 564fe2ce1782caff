import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSqlite } from "../src/adapters/index.ts";
import { ChainLibrary } from "../src/chain/chain-library.ts";
import { ChainRuns } from "../src/chain/chain-runs.ts";
import { AgentRuns, agentDefaults, findRunner } from "../src/agent/index.ts";
import { createEngine } from "../src/engine/index.ts";
import { DurableCalls, RunService, openHost } from "../src/run/index.ts";
import { createRedactor } from "../src/secrets/index.ts";
import {
  type ApprovalStore,
  type RunStore,
  createInMemoryApprovals,
  createInMemoryRunJournal,
} from "../src/store/index.ts";
import { mock, mockTools } from "../src/testing/chain/mock-tools.ts";
import { scriptedModel } from "../src/testing/index.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { overridePort } from "./support/override-port.ts";

/** Processes that share a journal. */
function machine() {
  const approvals = createInMemoryApprovals();
  const journal = createInMemoryRunJournal({ approvals });
  const spec = {
    name: "c",
    steps: [
      { id: "first", tool: "read" },
      { id: "send", tool: "send", approval: "Send it?", depends_on: ["first"] },
    ],
  };
  const done: string[] = [];
  const note = (name: string) => mock({ effect: name === "send" ? "once" : "read", answer: () => done.push(name) });
  const process = () => {
    const engine = createEngine({ tools: mockTools(["read", "send"], { read: note("read"), send: note("send") }) });
    const chains = new ChainLibrary({ tools: engine.tools });
    chains.add({ name: "c", spec });
    const runs = new ChainRuns({ engine, journal, approvals, chains });
    return { runs, plan: chains.plan("c") };
  };
  return { process, approvals, journal, done };
}

describe("[N12] a client and a worker", () => {
  test("a submitted run is executed by the process that serves, and its result is read by the one that submitted", async () => {
    const { process, approvals, done } = machine();
    const [client, worker] = [process(), process()];
    const { runId } = await client.runs.submit(client.plan, { runId: "r" });
    expect(runId).toBe("r");
    expect(done).toEqual([]);
    const stop = new AbortController();
    const serving = worker.runs.serve({ signal: stop.signal });
    expect(await client.runs.result("r")).toMatchObject({ status: "waiting" });
    expect(done).toEqual(["read"]);
    const [open] = await approvals.list(Date.now(), "pending");
    // The client decides; the worker is woken and executes the rest.
    await client.runs.decide(open?.id ?? "", { approved: true, by: "ann" });
    expect(await client.runs.result("r")).toMatchObject({ status: "success" });
    expect(done).toEqual(["read", "send"]);
    stop.abort();
    await serving;
  });

  test("events of a run hold no secret", async () => {
    const approvals = createInMemoryApprovals();
    const journal = createInMemoryRunJournal({ approvals });
    const tools = mockTools(["login"], { login: mock({ effect: "read", answer: ({ key }) => ({ key }) }) });
    const engine = createEngine({ tools, secrets: { KEY: "correct-horse-battery" } });
    const chains = new ChainLibrary({ tools: engine.tools });
    chains.add({
      name: "c",
      spec: { name: "c", steps: [{ id: "a", tool: "login", params: { key: "${secret.KEY}" } }] },
    });
    const runs = new ChainRuns({ engine, journal, approvals, chains });
    await runs.start(chains.plan("c"), { runId: "r" });
    const seen: string[] = [];
    for await (const event of runs.events("r")) seen.push(JSON.stringify(event));
    expect(seen.join()).toContain("settled");
    expect(seen.join()).not.toContain("correct-horse");
  });

  test("the same submission again has no effect, another run with the id is refused", async () => {
    const { process, journal } = machine();
    const { runs, plan } = process();
    await runs.submit(plan, { runId: "r" });
    await runs.submit(plan, { runId: "r" });
    expect(await journal.list()).toHaveLength(1);
    await expect(runs.submit(plan, { runId: "r", context: { a: 1 } })).rejects.toMatchObject({ code: "run_exists" });
  });

  test("events are read as they are written, from any position", async () => {
    const { process, approvals } = machine();
    const [client, worker] = [process(), process()];
    await client.runs.submit(client.plan, { runId: "r" });
    const stop = new AbortController();
    const serving = worker.runs.serve({ signal: stop.signal });
    const seen: string[] = [];
    for await (const { seq, kind, key } of client.runs.events("r")) {
      seen.push(`${seq} ${kind} ${key}`);
      const [open] = await approvals.list(Date.now(), "pending");
      if (open !== undefined) await client.runs.decide(open.id, { approved: true });
    }
    expect(seen).toEqual([
      "1 settled first#1",
      "2 waiting send?",
      "3 settled send?",
      "4 started send#1",
      "5 settled send#1",
    ]);
    const later: number[] = [];
    for await (const { seq } of client.runs.events("r", 3)) later.push(seq);
    expect(later).toEqual([4, 5]);
    stop.abort();
    await serving;
  });

  test("a submitted run that is cancelled before any worker claims it executes nothing", async () => {
    const { process, done } = machine();
    const [client, worker] = [process(), process()];
    await client.runs.submit(client.plan, { runId: "r" });
    expect(await client.runs.cancel("r", "ann")).toBe(true);
    const stop = new AbortController();
    const serving = worker.runs.serve({ signal: stop.signal });
    expect(await client.runs.result("r")).toMatchObject({ status: "cancelled" });
    expect(done).toEqual([]);
    stop.abort();
    await serving;
  });

  test("two workers execute each submitted run once", async () => {
    const { process, done, approvals } = machine();
    const [client, one, two] = [process(), process(), process()];
    const stop = new AbortController();
    const serving = [one.runs.serve({ signal: stop.signal }), two.runs.serve({ signal: stop.signal })];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => client.runs.submit(client.plan, { runId: `r${index}` })),
    );
    await Promise.all(Array.from({ length: 20 }, (_, index) => client.runs.result(`r${index}`)));
    expect(done).toHaveLength(20);
    for (const { id } of await approvals.list(Date.now(), "pending")) await client.runs.decide(id, { approved: true });
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => client.runs.result(`r${index}`)));
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => "success"));
    expect(done.filter((name) => name === "send")).toHaveLength(20);
    stop.abort();
    await Promise.all(serving);
  });

  test("waiting for a result can be given up; the run continues", async () => {
    const { process } = machine();
    const { runs, plan } = process();
    await runs.submit(plan, { runId: "r" });
    const stop = new AbortController();
    const result = runs.result("r", stop.signal);
    stop.abort();
    await expect(result).rejects.toMatchObject({ code: "cancelled" });
    expect((await runs.list())[0]).toMatchObject({ id: "r", status: "waiting" });
  });
});

describe("[N12] one service for all kinds of runs", () => {
  /** A process whose hosts record the keys that they start. */
  function recording() {
    const approvals = createInMemoryApprovals();
    const journal = createInMemoryRunJournal({ approvals });
    const read = mock({ effect: "read", answer: () => 1 });
    const engine = createEngine({ tools: mockTools(["read"], { read }) });
    const started: string[] = [];
    const service = new RunService({
      journal,
      approvals,
      secrets: engine,
      openHost: (task) => {
        const host = openHost(task);
        const start = host.start.bind(host);
        if (task.calls !== undefined) {
          host.start = (key, work) => {
            started.push(`${task.lease.runId} ${key}`);
            start(key, work);
          };
        }
        return host;
      },
    });
    const chains = new ChainLibrary({ tools: engine.tools });
    chains.add({ name: "c", spec: { name: "c", steps: [{ id: "first", tool: "read" }] } });
    const runs = new ChainRuns({ engine, service, chains });
    const calls = new DurableCalls({ engine, service });
    const openAgents = (): AgentRuns =>
      new AgentRuns({ engine, service, runner: findRunner, model: () => scriptedModel(["hello"]) });
    return { service, journal, runs, plan: chains.plan("c"), calls, openAgents, started };
  }
  const spec = { ...agentDefaults, runner: "llm" };

  test("another host drives chains, agents and durable calls", async () => {
    const { runs, plan, calls, openAgents, started } = recording();
    expect(await runs.start(plan, { runId: "chain" })).toMatchObject({ status: "success" });
    expect(await calls.start("read", {}, { runId: "call" })).toMatchObject({ status: "success" });
    const agents = openAgents();
    expect(await agents.start(spec, "hi", { runId: "agent" })).toMatchObject({ answer: "hello" });
    expect(started).toEqual(["chain first#1", "call call#1", expect.stringMatching(/^agent /)]);
    for (const kind of [runs, calls, agents]) {
      const runId = started[[runs, calls, agents].indexOf(kind)]?.split(" ")[0] ?? "";
      expect(await kind.inspect(runId)).toMatchObject({ runId });
    }
    expect(started).toHaveLength(3);
  });

  test("the code of a kind is loaded when the first of its runs is executed", async () => {
    const { service, journal, runs, plan, calls, openAgents } = recording();
    // Submitted by a process that has the code.
    const other = recording();
    await other.openAgents().submit(spec, "hi", { runId: "agent" });
    const submitted = await other.journal.read("agent");
    let loaded = 0;
    service.registerLazily("agent", async () => {
      loaded++;
      openAgents();
    });
    const stop = new AbortController();
    const reported: string[] = [];
    const serving = runs.serve({ signal: stop.signal, onEvent: ({ runId }) => void reported.push(runId) });
    await runs.submit(plan, { runId: "chain" });
    await calls.submit("read", {}, { runId: "call" });
    expect(await runs.result("chain")).toMatchObject({ status: "success" });
    expect(await calls.result("call")).toMatchObject({ status: "success" });
    expect(loaded).toBe(0);
    if (submitted !== undefined) await journal.submit(submitted.run);
    for await (const event of service.events("agent")) expect(event.kind).toBe("settled");
    expect([loaded, (await journal.read("agent"))?.run.status]).toEqual([1, "success"]);
    expect(new Set(reported)).toEqual(new Set(["chain"]));
    stop.abort();
    await serving;
  });
});

describe("[N12] the liveness of an owner", () => {
  /** Two processes, and a system that knows which of them is gone. The first step of the first process never ends. */
  function owners() {
    const gone = new Set<string>();
    const stops = new Map<string, () => void>();
    const isGone = async (owner: string): Promise<boolean> => gone.has(owner);
    const approvals = createInMemoryApprovals();
    const journal = createInMemoryRunJournal({ approvals, liveness: { isGone } });
    const started: string[] = [];
    const open = (owner: string) => {
      const note = (name: string) =>
        mock({
          effect: "read",
          answer: (): unknown => (started.push(`${owner}: ${name}`), owner === "one" ? new Promise(() => {}) : name),
        });
      const engine = createEngine({ tools: mockTools(["read", "send"], { read: note("read"), send: note("send") }) });
      const chains = new ChainLibrary({ tools: engine.tools });
      const steps = [
        { id: "first", tool: "read" },
        { id: "send", tool: "send", depends_on: ["first"] },
      ];
      chains.add({ name: "c", spec: { name: "c", steps } });
      const onLost = (stop: () => void) => (stops.set(owner, stop), () => void stops.delete(owner));
      const liveness = { owner, isGone, onLost };
      const runs = new ChainRuns({ engine, journal, approvals, chains, liveness });
      return { runs, plan: chains.plan("c") };
    };
    return { open, gone, stops, journal, started };
  }

  test("a run of an owner that is alive is held, and is claimed at once when its owner is gone", async () => {
    const { open, gone, journal, started } = owners();
    const [one, two] = [open("one"), open("two")];
    void one.runs.start(one.plan, { runId: "r" }).catch(() => {});
    await expect.poll(() => started).toEqual(["one: read"]);
    expect((await journal.read("r"))?.run).toMatchObject({ status: "running", leaseHolder: "one", epoch: 1 });
    await expect(two.runs.resume("r")).rejects.toMatchObject({
      code: "run_held",
      message: expect.stringContaining("one"),
    });
    gone.add("one");
    expect(await journal.list({ abandoned: true })).toMatchObject([{ id: "r" }]);
    expect(await two.runs.resume("r")).toMatchObject({ status: "success" });
    expect(started).toEqual(["one: read", "two: read", "two: send"]);
  });

  test("an owner that others consider gone starts nothing more, and another one continues its runs", async () => {
    const { open, stops, started } = owners();
    const [one, two] = [open("one"), open("two")];
    const running = one.runs.start(one.plan, { runId: "r" });
    await expect.poll(() => started).toEqual(["one: read"]);
    stops.get("one")?.();
    expect(await running).toMatchObject({ status: "running" });
    // Without runs, it has nothing to stop, and the journal need not know it.
    expect(stops.size).toBe(0);
    expect(await two.runs.resume("r")).toMatchObject({ status: "success" });
    expect(started).toEqual(["one: read", "two: read", "two: send"]);
  });
});

describe("[N12] many runs", () => {
  /** A process with a submitted run, and a thousand newer ones that only their callers may execute. */
  async function crowd() {
    const { process, journal, done } = machine();
    const { runs, plan } = process();
    await runs.submit(plan, { runId: "old" });
    const { run } = (await journal.read("old")) ?? {};
    if (run === undefined) throw new Error("the run was not stored");
    for (let index = 0; index < 1000; index++)
      await journal.submit({ ...run, id: `new-${index}`, calledBy: "outer", startedAt: run.startedAt + 1 });
    return { runs, done };
  }

  test("a run is served even if a thousand newer ones are not", async () => {
    const { runs, done } = await crowd();
    const stop = new AbortController();
    const serving = runs.serve({ signal: stop.signal });
    await expect.poll(() => done).toEqual(["read"]);
    stop.abort();
    await serving;
  });

  test("a submitted run does not count as suspended because a thousand newer ones are executable", async () => {
    const { runs } = await crowd();
    let isSettled = false;
    const result = runs.result("old").finally(() => (isSettled = true));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).toBe(false);
    await runs.resume("old");
    expect((await result).steps[0]?.status).toBe("success");
  });
});

describe("[N12] an observer of a run", () => {
  /** A process over these stores, whose time does not advance. The chain has ten steps. */
  function observed(stores: { readonly journal: RunStore; readonly approvals: ApprovalStore }) {
    const engine = createEngine({ tools: mockTools(["read"], { read: mock({ effect: "read", answer: () => 1 }) }) });
    const chains = new ChainLibrary({ tools: engine.tools });
    const ids = Array.from({ length: 10 }, (_, index) => `s${index}`);
    const steps = ids.map((id, index) => ({ id, tool: "read", depends_on: ids.slice(0, index).slice(-1) }));
    chains.add({ name: "c", spec: { name: "c", steps } });
    const runs = new ChainRuns({ engine, ...stores, chains, clock: new FakeClock() });
    return { runs, plan: chains.plan("c") };
  }

  async function seqsOf(events: AsyncIterable<{ readonly seq: number }>): Promise<number[]> {
    const seqs: number[] = [];
    for await (const { seq } of events) seqs.push(seq);
    return seqs;
  }

  test("reads each event once, and wakes without polling for writes of its process", async () => {
    const approvals = createInMemoryApprovals();
    const journal = createInMemoryRunJournal({ approvals });
    let reads = 0;
    let events = 0;
    const counted = overridePort(journal, {
      read: (...args) => (reads++, journal.read(...args)),
      updates: async (cursors) => {
        const found = await journal.updates(cursors);
        events += found.reduce((sum, update) => sum + (update?.events.length ?? 0), 0);
        return found;
      },
    });
    const [client, worker] = [observed({ journal: counted, approvals }), observed({ journal, approvals })];
    await client.runs.submit(client.plan, { runId: "r" });
    reads = 0;
    const results = Array.from({ length: 5 }, () => client.runs.result("r"));
    const seqs = seqsOf(client.runs.events("r"));
    await worker.runs.resume("r");
    expect(await seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(events).toBe(10);
    for (const result of await Promise.all(results)) expect(result.status).toBe("success");
    // Each result is made of the whole run, once it has ended.
    expect(reads).toBe(5);
  });

  test("holds nothing while it does not wait", async () => {
    const approvals = createInMemoryApprovals();
    const journal = createInMemoryRunJournal({ approvals });
    let watchers = 0;
    const counted = overridePort(journal, {
      watch: (changed) => {
        watchers++;
        const stop = journal.watch(changed);
        return () => (watchers--, stop());
      },
    });
    const { runs, plan } = observed({ journal: counted, approvals });
    await runs.start(plan, { runId: "r" });
    const abandoned = runs.events("r");
    expect((await abandoned.next()).value).toMatchObject({ seq: 1 });
    expect(watchers).toBe(0);
    const stop = new AbortController();
    await runs.submit(plan, { runId: "s" });
    const waiting = [runs.result("s", stop.signal), runs.events("s", 0, stop.signal).next()];
    await expect.poll(() => watchers).toBe(1);
    stop.abort();
    for (const result of waiting) await expect(result).rejects.toMatchObject({ code: "cancelled" });
    expect(watchers).toBe(0);
  });

  test("reads more events than one request returns", async () => {
    const approvals = createInMemoryApprovals();
    const journal = createInMemoryRunJournal({ approvals });
    const { runs, plan } = observed({ journal, approvals });
    await runs.submit(plan, { runId: "r" });
    const claim = await journal.claim("r", "me");
    if (claim.kind !== "claimed") throw new Error(claim.kind);
    const seqs = Array.from({ length: 1000 }, (_, index) => index + 1);
    for (const seq of seqs) await journal.append(claim.lease, { seq, kind: "waiting", key: "k", at: 1, data: {} });
    await journal.finish(claim.lease, { status: "failed", at: 1 });
    expect(await seqsOf(runs.events("r"))).toEqual(seqs);
    expect(await seqsOf(runs.events("r", 990))).toEqual(seqs.slice(990));
    await expect(runs.events("none").next()).rejects.toMatchObject({ code: "run_not_found" });
  });

  test("sees what another process writes to the database", async () => {
    const folder = await mkdtemp(join(tmpdir(), "windlass-observer-"));
    const file = join(folder, "journal.db");
    const open = () => openSqlite({ file, redactor: createRedactor([]) });
    const [here, there] = [await open(), await open()];
    const client = observed({ journal: here.runs, approvals: here.approvals });
    const worker = observed({ journal: there.runs, approvals: there.approvals });
    await client.runs.submit(client.plan, { runId: "r" });
    const result = client.runs.result("r");
    const seqs = seqsOf(client.runs.events("r"));
    await worker.runs.resume("r");
    expect(await seqs).toHaveLength(10);
    expect((await result).status).toBe("success");
    for (const store of [here, there]) await store.close();
    await rm(folder, { recursive: true });
  });
});

describe("[N12] closing a service", () => {
  test.each(["resume", "join"] as const)("while it claims a run to %s it releases that run", async (how) => {
    const { process, journal, done } = machine();
    const [client, closing, other] = [process(), process(), process()];
    await client.runs.submit(client.plan, { runId: "r" });
    const claim = journal.claim.bind(journal);
    let claimNow = (): void => {};
    const mayClaim = new Promise<void>((resolve) => (claimNow = resolve));
    journal.claim = (...claimed) => mayClaim.then(() => claim(...claimed));
    const resumed = closing.runs[how]("r");
    let isClosed = false;
    const closed = closing.runs.close().then(() => (isClosed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    claimNow();
    await closed;
    expect(await resumed).toMatchObject({ status: "running" });
    expect(done).toEqual([]);
    const { leaseHolder } = (await journal.read("r"))?.run ?? {};
    expect(leaseHolder).toBeUndefined();
    expect(await other.runs.resume("r")).toMatchObject({ status: "waiting" });
    expect(done).toEqual(["read"]);
  });
});

describe("[N12] a run whose owner seems to be gone", () => {
  /** A process that executes runs of every kind; others consider each owner gone at any time, as after a long stop. */
  function stopped() {
    const approvals = createInMemoryApprovals();
    const journal = createInMemoryRunJournal({ approvals, liveness: { isGone: async () => true } });
    const started: string[] = [];
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const slow = (name: string) =>
      mock({ effect: "idempotent", answer: () => (started.push(name), ended.then(() => name)) });
    const engine = createEngine({
      tools: mockTools(["step", "call", "ponder"], { step: slow("step"), call: slow("call"), ponder: slow("ponder") }),
      permissions: { allow: ["* trusted"] },
    });
    const service = new RunService({ journal, approvals, secrets: engine });
    const chains = new ChainLibrary({ tools: engine.tools });
    chains.add({ name: "c", spec: { name: "c", steps: [{ id: "first", tool: "step" }] } });
    const runs = new ChainRuns({ engine, service, chains });
    const calls = new DurableCalls({ engine, service });
    const model = () => scriptedModel([{ toolCalls: [{ name: "ponder", args: {} }] }, "done"]);
    const agents = new AgentRuns({ engine, service, runner: findRunner, model });
    return { service, journal, started, end, runs, plan: chains.plan("c"), calls, agents };
  }

  test("is not executed twice by the process that still executes it, also if that serves runs", async () => {
    const { service, journal, started, end, runs, plan, calls, agents } = stopped();
    const spec = { ...agentDefaults, runner: "autonomous" };
    const results = [
      runs.start(plan, { runId: "chain" }),
      calls.start("call", {}, { runId: "call" }),
      agents.start(spec, "Think.", { runId: "agent" }),
    ];
    await expect.poll(() => started.toSorted()).toEqual(["call", "ponder", "step"]);
    const stop = new AbortController();
    const serving = service.serve(stop.signal);
    const attempts = await Promise.allSettled([runs.resume("chain"), calls.resume("call"), agents.resume("agent")]);
    for (const attempt of attempts) expect(attempt).toMatchObject({ reason: { code: "run_held" } });
    end();
    expect((await Promise.all(results)).map(({ status }) => status)).toEqual(["success", "success", "completed"]);
    stop.abort();
    await serving;
    expect(started).toHaveLength(3);
    for (const id of ["chain", "call", "agent"]) expect((await journal.read(id))?.run.epoch).toBe(1);
  });
});

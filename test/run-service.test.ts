import { describe, expect, test } from "vitest";
import { ChainLibrary } from "../src/chain/chain-library.ts";
import { ChainRuns } from "../src/chain/chain-runs.ts";
import { AgentRuns, agentDefaults, findRunner } from "../src/agent/index.ts";
import { createEngine } from "../src/engine/index.ts";
import { DurableCalls, RunService, openHost } from "../src/run/index.ts";
import { scriptedModel } from "../src/testing/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../src/store/index.ts";
import { mock, mockTools } from "../src/testing/chain/mock-tools.ts";

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
    const journal = createInMemoryRunJournal({ liveness: { isGone } });
    const approvals = createInMemoryApprovals();
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
      const liveness = { owner, isGone, onLost: (stop: () => void) => void stops.set(owner, stop) };
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
    expect(await two.runs.resume("r")).toMatchObject({ status: "success" });
    expect(started).toEqual(["one: read", "two: read", "two: send"]);
  });
});

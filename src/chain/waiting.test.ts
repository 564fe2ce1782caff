import { describe, expect, test } from "vitest";
import { machine } from "../../test/support/chain-machine.ts";
import { runWith, withTime } from "../../test/support/chain-runner.ts";
import { type RunEvent, explainStep } from "../chain.ts";
import { createEngine } from "../engine/index.ts";
import { mock, mockTools } from "../testing/chain/mock-tools.ts";
import { runChain } from "./run-chain.ts";
import { ChainLibrary } from "./chain-library.ts";
import { chainTool } from "./chain-tool.ts";
import { dryRunner } from "./dry-run/dry-runner.ts";
import { engineRunner } from "../run/index.ts";
import type { ChainSpec } from "./plan/chain-spec.ts";

const echo = (args: Readonly<Record<string, unknown>>): unknown => args;

const chain = (...steps: ChainSpec["steps"]): ChainSpec => ({ name: "c", steps });

const day = 86_400_000;

describe("[P05] a step that waits", () => {
  test("for a long time suspends the run without a process, and the time wakes it", async () => {
    const spec = chain(
      { id: "a", tool: "t" },
      { id: "cool", wait: "3d", depends_on: ["a"] },
      { id: "b", tool: "t", params: { from: "${steps.cool.output.started_at}", to: "${steps.cool.output.ended_at}" } },
    );
    const { clock, process, journal } = machine([spec], { t: echo });
    const first = process();
    const run = await withTime(first.runs.start(first.plan("c"), { runId: "r" }), clock);
    expect(run.status).toBe("waiting");
    expect(clock.timers).toBe(0);
    const cool = run.steps.find(({ step }) => step.id === "cool");
    expect(cool?.status).toBe("waiting");
    const since = clock.now();
    expect(run.log().steps[1]).toMatchObject({ id: "cool", tool: "wait", status: "waiting", input: { for: "3d" } });
    expect(run.log().steps[1]?.waits_for).toHaveLength(1);
    const executable = () => journal.executable({ kinds: ["chain"], after: 0, limit: 9 });
    expect(await executable()).toEqual([]);
    clock.advance(3 * day);
    expect(await executable()).toMatchObject([{ id: "r" }]);
    const second = process();
    const ended = await withTime(second.runs.resume("r"), clock);
    expect(ended.status).toBe("success");
    const output = ended.output as { b: { from: string; to: string } };
    expect(Date.parse(output.b.to) - Date.parse(output.b.from)).toBeGreaterThanOrEqual(3 * day);
    expect(Date.parse(output.b.from)).toBeLessThanOrEqual(since);
    const log = ended.log().steps[1];
    expect([log?.duration_ms, log?.queued_ms]).toEqual([0, expect.any(Number)]);
    expect(explainStep(ended, "cool")[0]).toMatch(/^cool waited 3 d|^cool waited 72/);
  });

  test("for a short time is awaited in the process", async () => {
    const { result, tookMs } = await runWith(
      chain({ id: "cool", wait: 2 }, { id: "b", tool: "t", depends_on: ["cool"] }),
      { tools: { t: echo } },
    );
    expect([result.status, tookMs]).toEqual(["success", 2000]);
  });

  test("resumed too early, continues to wait for the time that it began with", async () => {
    const { clock, process } = machine([chain({ id: "cool", wait: "1h" })], {});
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r" }), clock);
    clock.advance(1_800_000);
    const again = await withTime(process().runs.resume("r"), clock);
    expect(again.status).toBe("waiting");
    clock.advance(1_800_000);
    expect((await withTime(process().runs.resume("r"), clock)).status).toBe("success");
  });

  test("until a time: a past one ends at once, a future one suspends", async () => {
    const { clock, process } = machine(
      [
        chain(
          { id: "past", wait: { until: "2020-01-01T00:00:00Z" } },
          { id: "future", wait: { until: "${input.at}" }, depends_on: ["past"] },
        ),
      ],
      {},
    );
    const { runs, plan } = process();
    const input = { at: "2026-02-01T08:00:00+08:00" };
    const run = await withTime(runs.start(plan("c"), { runId: "r", input }), clock);
    expect(run.steps.map(({ status }) => status)).toEqual(["success", "waiting"]);
    expect(run.steps[1]?.waits).toMatchObject([{ event: undefined, until: Date.parse(input.at) }]);
    clock.advance(Date.parse(input.at) - clock.now());
    expect((await withTime(process().runs.resume("r"), clock)).status).toBe("success");
  });

  test("for an event is woken by it, and its data is the output", async () => {
    const spec = chain(
      { id: "paid", wait: { event: "payment", timeout: "7d" } },
      { id: "b", tool: "t", params: { n: "${steps.paid.output.n}" } },
    );
    const { clock, process, journal } = machine([spec], { t: echo });
    const { runs, plan } = process();
    const events: RunEvent[] = [];
    const run = await withTime(
      runs.start(plan("c"), { runId: "r", onEvent: (event) => void events.push(event) }),
      clock,
    );
    expect(run.status).toBe("waiting");
    expect(events.find(({ type }) => type === "step-waiting")).toMatchObject({ step: "paid", event: "payment" });
    expect(explainStep(run, "paid")[0]).toMatch(/paid waits for the event payment \(until 2026-/);
    expect(await runs.deliver("r", { name: "payment", data: { n: 7 }, id: "p1" })).toMatchObject({ isRepeated: false });
    expect(await runs.deliver("r", { name: "payment", data: { n: 8 }, id: "p1" })).toMatchObject({ isRepeated: true });
    expect(await journal.executable({ kinds: ["chain"], after: 0, limit: 9 })).toHaveLength(1);
    const ended = await withTime(process().runs.resume("r"), clock);
    expect(ended.output).toEqual({ paid: { n: 7 }, b: { n: 7 } });
    expect((await process().runs.inspect("r")).output).toEqual(ended.output);
    await expect(runs.deliver("r", { name: "payment" })).rejects.toMatchObject({ reason: "run_ended" });
    expect(await runs.deliver("r", { name: "payment", id: "p1" })).toMatchObject({ isRepeated: true });
  });

  test("takes an event that came early, and each event of a name once, in order", async () => {
    const spec: ChainSpec = {
      name: "c",
      steps: [
        { id: "slow", tool: "t" },
        { id: "one", wait: { event: "e" }, depends_on: ["slow"] },
        { id: "two", wait: { event: "e" }, depends_on: ["one"] },
        { id: "each", for_each: [1, 2, 3], wait: { event: "item" }, depends_on: ["two"] },
      ],
    };
    const { clock, process } = machine([spec], {
      t: () => new Promise((resolve) => clock.after(1000, () => resolve(1))),
    });
    const { runs, plan } = process();
    const running = runs.start(plan("c"), { runId: "r" });
    await clock.pass(10);
    for (const n of [1, 2, 3]) {
      await runs.deliver("r", { name: "e", data: n });
      await runs.deliver("r", { name: "item", data: n * 10 });
    }
    const run = await withTime(running, clock);
    expect(run.output).toEqual({ slow: 1, one: 1, two: 2, each: [10, 20, 30] });
  });

  test("that is awaited by the process which holds the run gets an event at once", async () => {
    const spec = chain({ id: "paid", wait: { event: "payment" } });
    const { clock, process } = machine([spec], {});
    const { runs, plan } = process();
    const running = runs.start(plan("c"), { runId: "r", waitForDecisions: true });
    await clock.pass(1000);
    await runs.deliver("r", { name: "payment", data: "here" });
    expect((await withTime(running, clock)).output).toEqual({ paid: "here" });
  });

  test("without its event in time fails with timeout, and its error_handling applies", async () => {
    const fallback = { fallback: [{ tool: "remind", params: { code: "${error.code}" } }] };
    const spec = chain(
      { id: "paid", wait: { event: "payment", timeout: "1d" }, error_handling: fallback },
      { id: "other", wait: { event: "payment", timeout: "${2 * 3600}" }, error_handling: { strategy: "continue" } },
    );
    const { clock, process } = machine([spec], { remind: echo });
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r" }), clock);
    clock.advance(day);
    const ended = await withTime(process().runs.resume("r"), clock);
    expect(ended.output).toEqual({ paid: { code: "timeout" } });
    expect(ended.steps.map(({ status, error }) => [status, error?.code])).toEqual([
      ["recovered", undefined],
      ["failed", "timeout"],
    ]);
  });

  test("leaves an event that came after its time to the next wait for it", async () => {
    const spec = chain(
      { id: "first", wait: { event: "e", timeout: "1h" }, error_handling: { strategy: "continue" } },
      { id: "check", tool: "t", params: { why: "${steps.first.error.code ?? 'none'}" } },
      { id: "second", wait: { event: "e" }, depends_on: ["check"] },
    );
    const { clock, process } = machine([spec], { t: echo });
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r" }), clock);
    clock.advance(3_700_000);
    // No process has resumed the run since its wait ended.
    await runs.deliver("r", { name: "e", data: 1 });
    const ended = await withTime(process().runs.resume("r"), clock);
    expect(ended.output).toEqual({ check: { why: "timeout" }, second: 1 });
  });

  test("takes an event that came in time although the run was resumed after it", async () => {
    const { clock, process } = machine([chain({ id: "paid", wait: { event: "e", timeout: "1h" } })], {});
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r" }), clock);
    clock.advance(3_000_000);
    await runs.deliver("r", { name: "e", data: 1 });
    clock.advance(10 * day);
    expect((await withTime(process().runs.resume("r"), clock)).output).toEqual({ paid: 1 });
  });

  test("holds no slot, and does not use up the timeout of its chain", async () => {
    const spec: ChainSpec = {
      name: "c",
      timeout: "1h",
      max_parallel: 1,
      steps: [
        { id: "one", wait: { event: "e" } },
        { id: "two", wait: "2d" },
        { id: "work", tool: "t" },
      ],
    };
    const { clock, process, tools } = machine([spec], { t: () => 1 });
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r" }), clock);
    expect(tools.calls).toHaveLength(1);
    clock.advance(2 * day);
    await runs.deliver("r", { name: "e" });
    expect((await withTime(process().runs.resume("r"), clock)).status).toBe("success");
  });

  test("in a sub-chain suspends the whole run, and receives its events", async () => {
    const specs: ChainSpec[] = [
      {
        name: "outer",
        steps: [
          { id: "sub", tool: "inner" },
          { id: "b", tool: "t", params: { got: "${steps.sub.output.paid}" } },
        ],
      },
      { name: "inner", steps: [{ id: "paid", wait: { event: "payment" } }] },
    ];
    const { clock, process } = machine(specs, { t: echo });
    const { runs, plan } = process();
    expect((await withTime(runs.start(plan("outer"), { runId: "r" }), clock)).status).toBe("waiting");
    await runs.deliver("r", { name: "payment", data: 5 });
    expect((await withTime(process().runs.resume("r"), clock)).output).toMatchObject({ b: { got: 5 } });
  });

  test("repeats until a condition holds, with one event for each round", async () => {
    const spec = chain({
      id: "last",
      wait: { event: "progress" },
      repeat: { until: "${steps.last.output.done}", max: 5 },
    });
    const { clock, process } = machine([spec], {});
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r" }), clock);
    for (const data of [{ n: 1 }, { n: 2, done: true }, { n: 3, done: true }])
      await runs.deliver("r", { name: "progress", data });
    expect((await withTime(process().runs.resume("r"), clock)).output).toEqual({ last: { n: 2, done: true } });
  });

  test("is cancelled with its run, and undone steps before it are compensated", async () => {
    const spec = chain(
      { id: "a", tool: "write", compensate: { tool: "undo" } },
      { id: "paid", wait: { event: "e" }, depends_on: ["a"] },
    );
    const { clock, process, tools } = machine([spec], {
      write: mock({ effect: "once", answer: () => 1 }),
      undo: () => 1,
    });
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r" }), clock);
    await runs.cancel("r", "ann");
    const ended = await withTime(process().runs.resume("r"), clock);
    expect(ended.status).toBe("cancelled");
    expect(ended.steps.map(({ status }) => status)).toEqual(["success", "cancelled"]);
    expect(tools.calls.map(({ tool }) => tool)).toEqual(["write", "undo"]);
  });

  test("reuses its event in a rerun, and takes events of the new run", async () => {
    const spec = chain(
      { id: "paid", wait: { event: "e" } },
      { id: "b", tool: "t", params: { n: "${steps.paid.output}" } },
      { id: "again", wait: { event: "e" }, depends_on: ["b"] },
    );
    const { clock, process } = machine([spec], { t: echo });
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r" }), clock);
    for (const data of [1, 2]) await runs.deliver("r", { name: "e", data });
    expect((await withTime(process().runs.resume("r"), clock)).output).toMatchObject({ paid: 1, again: 2 });
    const rerun = await withTime(process().runs.rerun("r", { runId: "r2", from: "b" }), clock);
    expect([rerun.status, rerun.steps[0]?.output]).toEqual(["waiting", 1]);
    await runs.deliver("r2", { name: "e", data: 3 });
    expect((await withTime(process().runs.resume("r2"), clock)).output).toMatchObject({ paid: 1, again: 3 });
  });
});

describe("[P05] an event", () => {
  test("for which no step of the run waits is refused, with the names that are awaited", async () => {
    const { clock, process } = machine([chain({ id: "paid", wait: { event: "payment" } })], {});
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r" }), clock);
    await expect(runs.deliver("r", { name: "payement" })).rejects.toMatchObject({
      reason: "event_not_awaited",
      message: 'no step of run r (c) waits for the event "payement"; its steps wait for: "payment"',
    });
    await expect(runs.deliver("none", { name: "payment" })).rejects.toMatchObject({ code: "run_not_found" });
    await expect(runs.deliver("r", { name: "payment", id: "a b" })).rejects.toMatchObject({ reason: "bad_event_id" });
    const data = "x".repeat(300_000);
    await expect(runs.deliver("r", { name: "payment", data })).rejects.toMatchObject({ reason: "event_too_large" });
  });

  test("whose name is computed is taken for any name", async () => {
    const { clock, process } = machine([chain({ id: "paid", wait: { event: "paid-${input.order}" } })], {});
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r", input: { order: "7" } }), clock);
    await runs.deliver("r", { name: "paid-8", data: 8 });
    expect((await withTime(process().runs.resume("r"), clock)).status).toBe("waiting");
    await runs.deliver("r", { name: "paid-7", data: 7 });
    expect((await withTime(process().runs.resume("r"), clock)).output).toEqual({ paid: 7 });
  });

  test("is untrusted: a destructive call with its data needs approval, and one with the output of a timer does not", async () => {
    const spec = (wait: ChainSpec["steps"][number]["wait"] & {}, text: string): ChainSpec =>
      chain({ id: "w", wait }, { id: "send", tool: "send", params: { text } });
    const { plan: planOf } = machine([spec({ event: "e" }, "${steps.w.output}")], {
      send: mock({ effect: "once", answer: () => 1 }),
    }).process();
    const { findUntrustedValues } = await import("./plan/untrusted-target.ts");
    const untrusted = (plan: ReturnType<typeof planOf>): number => {
      const [, send] = plan.steps;
      return send === undefined ? -1 : findUntrustedValues(plan).partsOf(send.params, send).length;
    };
    expect(untrusted(planOf("c"))).toBe(1);
    const timer = machine([spec("3d", "${steps.w.output.ended_at}")], { send: () => 1 }).process();
    expect(untrusted(timer.plan("c"))).toBe(0);
  });
});

describe("[P05] a chain that waits for an event", () => {
  const spec = chain({ id: "paid", wait: { event: "payment" } });

  test("is refused as a run in memory and as a tool before its first step", async () => {
    const engine = createEngine({ tools: mockTools([]) });
    await expect(runChain(spec, { engine })).rejects.toMatchObject({ reason: "waits_for_event" });
    const chains = new ChainLibrary({ tools: engine.tools });
    chains.add({ name: "c", spec });
    const result = await createEngine({ tools: [chainTool(chains.plan("c"))] }).call("c", {});
    expect(result).toMatchObject({ success: false, error: { reason: "waits_for_event" } });
  });

  test("is not waited for in a dry run: the wait is listed, and what needs its data is unknown", async () => {
    const tools = mockTools(["write"], { write: mock({ effect: "once", answer: () => 1 }) });
    const engine = createEngine({ tools });
    const chains = new ChainLibrary({ tools: engine.tools });
    chains.add({
      name: "c",
      spec: chain(
        { id: "cool", wait: "3d" },
        { id: "paid", wait: { event: "payment" }, depends_on: ["cool"] },
        { id: "w", tool: "write", params: { n: "${steps.paid.output.n}", at: "${steps.cool.output.ended_at}" } },
      ),
    });
    const runner = dryRunner({
      runner: engineRunner({ begin: (...call) => engine.begin(...call), tools: new Map() }),
      tool: (name) => engine.tools.resolve(name)?.tool,
    });
    const run = await runChain(runner.prepare(chains.plan("c")), { engine, chains, runner });
    expect(run.status).toBe("success");
    expect(runner.withheld).toMatchObject([
      { key: "cool#1", tool: "wait", args: { for: "3d" } },
      { key: "paid#1", tool: "wait", args: { event: "payment" } },
      { key: "w#1", tool: "write", args: { at: expect.any(String) }, unknown: { n: "${steps.paid.output.n}" } },
    ]);
  });
});

test.each([
  ["a wrong duration", "${input.x}", { x: "soon" }, /"soon" is not a duration/],
  ["a missing duration", "${input.x}", {}, /is not a duration/],
  ["a duration that is too long", "${input.x}", { x: "9999d" }, /at most 365d/],
  ["a time without an offset", { until: "${input.x}" }, { x: "2026-01-01T00:00" }, /is not a time/],
  ["a number as a time", { until: "${input.x}" }, { x: 5 }, /is not a time/],
  ["a wrong event name", { event: "${input.x}" }, { x: "a b" }, /is not an event name/],
  ["a wrong timeout", { event: "e", timeout: "${input.x}" }, { x: [] }, /is not a duration/],
] as const)("[P05] %s that is known only at run time fails the step", async (_what, wait, input, message) => {
  const { clock, process } = machine([{ name: "c", input: { x: "any?" }, steps: [{ id: "w", wait }] }], {});
  const { runs, plan } = process();
  const run = await withTime(runs.start(plan("c"), { input }), clock);
  expect(run.steps[0]?.error).toMatchObject({ code: "validation_error", message: expect.stringMatching(message) });
});

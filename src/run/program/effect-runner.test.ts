import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { systemClock } from "../../base/index.ts";
import { type StepExecutor, engineExecutor, openHost, planChain } from "../../chain/index.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import type { JournalEvent, NewJournalEvent } from "../../store/index.ts";
import { type Flow, all, call, runPlan } from "./flow.ts";
import { type FlowEnd, FlowRun } from "./flow-run.ts";

const work = (tool: string, args: unknown = {}) => ({
  tool,
  args,
  idempotencyKey: `r/${tool}`,
});

interface Setting {
  readonly engine: Engine;
  readonly events?: readonly JournalEvent[];
  readonly executor?: StepExecutor | undefined;
}

/** As a journal gives it back. */
function withoutRecord({ seq, kind, key, at, data }: NewJournalEvent): JournalEvent {
  return { seq, kind, key, at, data };
}

/** A run over a host whose journal is a list. */
function open({ engine, events = [], ...given }: Setting) {
  const written: NewJournalEvent[] = [...events];
  const usual = engineExecutor({ begin: (...asked) => engine.begin(...asked), runId: "r" });
  const host = openHost({
    lease: { runId: "r", epoch: 1 },
    startedAt: 0,
    events,
    executor: "executor" in given ? given.executor : usual,
    clock: systemClock,
    journal: {
      append: (_lease, event) => {
        written.push(event);
        return undefined;
      },
    },
  });
  return { host, written };
}

function go<T>(setting: Setting, flow: () => Flow<T>): Promise<FlowEnd<T>> {
  return new FlowRun(open(setting).host).run(flow());
}

function* output(key: string, tool: string, args?: unknown): Flow<unknown> {
  const outcome = yield* call(key, work(tool, args));
  if (outcome.kind !== "call" || !outcome.result.success) return "failed";
  return outcome.result.output;
}

describe("a flow", () => {
  const echo = sampleTool(({ value }) => value, { name: "echo", effect: "pure" });
  const engine = createEngine({ tools: [echo] });

  test("is told what came of what it asked for", async () => {
    const ended = await go({ engine }, function* () {
      const one = yield* output("a#1", "echo", { value: 1 });
      const two = yield* output("b#1", "echo", { value: 2 });
      return [one, two];
    });
    expect(ended).toEqual({ kind: "done", value: [1, 2] });
  });

  test("gives what several gave in their order, and keeps to the limit", async () => {
    let running = 0;
    let most = 0;
    const slow = sampleTool(
      async ({ ms }) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, Number(ms)));
        running--;
        return ms;
      },
      { name: "slow", effect: "read" },
    );
    const times = [9, 1, 5, 2, 7];
    const ended = await go({ engine: createEngine({ tools: [slow] }) }, () =>
      all(
        times.map((ms, index) => output(`s${index}#1`, "slow", { ms })),
        2,
      ),
    );
    expect(ended).toEqual({ kind: "done", value: times });
    expect(most).toBe(2);
  });

  test("that breaks says so, after those beside it have ended", async () => {
    const seen: unknown[] = [];
    // oxlint-disable-next-line require-yield -- it breaks before it asks for anything
    function* broken(): Flow<unknown> {
      throw new Error("broken");
    }
    function* fine(): Flow<unknown> {
      const value = yield* output("f#1", "echo", { value: "fine" });
      seen.push(value);
      return value;
    }
    const ended = await go({ engine }, () => all([fine(), broken(), fine()]));
    expect(ended).toMatchObject({ kind: "broke", error: { message: "broken" } });
    expect(seen).toEqual(["fine"]);
  });

  test("that asks under one key twice at once is refused", async () => {
    await expect(go({ engine }, () => all([output("x#1", "echo"), output("x#1", "echo")]))).rejects.toThrow(
      "asked twice for x#1",
    );
  });

  test("is cancelled: calls end, and nothing more begins", async () => {
    const hang = sampleTool(
      (_args, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
      {
        name: "hang",
        effect: "read",
      },
    );
    const { host } = open({ engine: createEngine({ tools: [hang, echo] }) });
    const flow = new FlowRun(host);
    const log: unknown[] = [];
    const ended = flow.run(
      (function* () {
        const outcome = yield* call("h#1", work("hang"));
        log.push(outcome.kind === "call" && !outcome.result.success ? outcome.result.error.code : outcome.kind);
        return yield* output("e#1", "echo");
      })(),
    );
    setTimeout(() => host.cancelRun("somebody"), 10);
    expect(await ended).toMatchObject({ kind: "broke", error: { code: "cancelled" } });
    expect(log).toEqual(["cancelled"]);
    expect(flow.cancelled).toEqual({ by: "somebody" });
  });
});

describe("[N12] a flow that is told again", () => {
  const counted = () => {
    let calls = 0;
    const tool = sampleTool(() => ++calls, { name: "count", effect: "idempotent" });
    return { engine: createEngine({ tools: [tool] }), calls: () => calls };
  };

  function* three(): Flow<unknown> {
    const pair = yield* all([output("a#1", "count"), output("b#1", "count")]);
    const last = yield* output("c#1", "count");
    return [pair, last];
  }

  test("makes no call twice that the journal knows, wherever it was cut", async () => {
    const { engine, calls } = counted();
    const whole = open({ engine });
    const first = await new FlowRun(whole.host).run(three());
    expect(calls()).toBe(3);
    const events = whole.written.map(withoutRecord);
    for (let length = 0; length <= events.length; length++) {
      const known = events.slice(0, length).filter(({ kind }) => kind === "settled").length;
      const { engine: other, calls: again } = counted();
      const ended = await new FlowRun(open({ engine: other, events: events.slice(0, length) }).host).run(three());
      expect(ended.kind).toBe("done");
      expect(again()).toBe(3 - known);
      // What was not known gives other numbers now.
      expect(known < 3 || isDeepStrictEqual(ended, first)).toBe(true);
    }
  });

  test("can be looked at without anything being executed", async () => {
    const { engine, calls } = counted();
    const whole = open({ engine });
    const first = await new FlowRun(whole.host).run(three());
    const events = whole.written.map(withoutRecord);
    const looking = { engine, events, executor: undefined };
    expect(await new FlowRun(open(looking).host).run(three())).toEqual(first);
    const part = { engine, events: events.slice(0, 2), executor: undefined };
    expect(await new FlowRun(open(part).host).run(three())).toEqual({ kind: "parked" });
    expect(calls()).toBe(3);
  });
});

describe("a chain inside of a flow", () => {
  const add = sampleTool(({ a, b }) => ({ sum: Number(a) + Number(b) }), { name: "add", effect: "idempotent" });
  const engine = createEngine({ tools: [add] });
  const spec = {
    name: "sums",
    steps: [
      { id: "one", tool: "add", params: { a: "${input.n}", b: 1 } },
      { id: "two", tool: "add", params: { a: "${input.n}", b: 2 } },
      { id: "both", tool: "add", params: { a: "${steps.one.output.sum}", b: "${steps.two.output.sum}" } },
    ],
    output: "${steps.both.output.sum}",
  };
  const { plan } = planChain({ spec }, { tools: engine.tools });

  function* twice(): Flow<unknown> {
    if (plan === undefined) throw new Error("no plan");
    const sums = yield* all([1, 10].map((n) => runPlan({ key: `sum${n}`, plan, input: { n }, onEvent: undefined })));
    const last = yield* output("last#1", "add", { a: 1, b: 1 });
    return [...sums.map((facts) => facts.output), last];
  }

  test("runs in the journal of the flow, several at once", async () => {
    const { host, written } = open({ engine });
    const ended = await new FlowRun(host).run(twice());
    expect(ended).toEqual({ kind: "done", value: [5, 23, { sum: 2 }] });
    const keys = written.filter(({ kind }) => kind === "settled").map(({ key }) => key);
    expect(new Set(keys).size).toBe(7);
    expect(keys.filter((key) => key.startsWith("sum1/"))).toHaveLength(3);
  });

  test("goes on where it was cut, and runs nothing twice", async () => {
    const { host, written } = open({ engine });
    const first = await new FlowRun(host).run(twice());
    const events = written.map(withoutRecord);
    for (let length = 0; length <= events.length; length++) {
      const cut = open({ engine, events: events.slice(0, length) });
      expect(await new FlowRun(cut.host).run(twice())).toEqual(first);
      const settled = cut.written.filter(({ kind }) => kind === "settled").map(({ key }) => key);
      expect(new Set(settled).size).toBe(settled.length);
    }
  });

  test("of many steps that end at once comes to its end", async () => {
    const steps = Array.from({ length: 200 }, (_, index) => ({
      id: `s${index}`,
      tool: "add",
      params: { a: index, b: 1 },
    }));
    const wide = planChain(
      { spec: { name: "wide", max_parallel: 200, steps, output: "${steps.s199.output.sum}" } },
      {
        tools: engine.tools,
      },
    ).plan;
    if (wide === undefined) throw new Error("no plan");
    const ended = await go({ engine }, () => runPlan({ key: "w", plan: wide, input: {}, onEvent: undefined }));
    expect(ended).toMatchObject({ kind: "done", value: { status: "success", output: 200 } });
  });

  test("is cancelled with the flow", async () => {
    const hang = sampleTool(
      (_args, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
      {
        name: "hang",
        effect: "read",
      },
    );
    const hanging = createEngine({ tools: [hang] });
    const stuck = planChain(
      { spec: { name: "stuck", steps: [{ id: "h", tool: "hang", params: {} }] } },
      {
        tools: hanging.tools,
      },
    ).plan;
    if (stuck === undefined) throw new Error("no plan");
    const { host } = open({ engine: hanging });
    const ended = new FlowRun(host).run(runPlan({ key: "c", plan: stuck, input: {}, onEvent: undefined }));
    setTimeout(() => host.cancelRun(undefined), 10);
    expect(await ended).toMatchObject({ kind: "done", value: { status: "cancelled" } });
  });
});

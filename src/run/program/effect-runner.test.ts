import { isDeepStrictEqual } from "node:util";
import { runSubChain } from "../../chain/index.ts";
import { describe, expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { systemClock } from "../../base/index.ts";
import { type RunCalls, engineRunner, openHost } from "../index.ts";
import { planChain } from "../../chain/index.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import type { JournalEvent, NewJournalEvent } from "../../store/index.ts";
import { type RunProgram, runAll, performCall } from "./run-effect.ts";
import { type ProgramOutcome, EffectRunner } from "./effect-runner.ts";

const work = (tool: string, args: unknown = {}) => ({
  tool,
  args,
  idempotencyKey: `r/${tool}`,
});

interface Setting {
  readonly engine: Engine;
  readonly events?: readonly JournalEvent[];
  readonly calls?: RunCalls | undefined;
}

/** Returns the event as a journal reads it back. */
function withoutRecord({ seq, kind, key, at, data }: NewJournalEvent): JournalEvent {
  return { seq, kind, key, at, data };
}

/** Opens a run on a host whose journal is an array. */
function open({ engine, events = [], ...input }: Setting) {
  const written: NewJournalEvent[] = [...events];
  const defaults: RunCalls = {
    runner: engineRunner({ begin: (...requested) => engine.begin(...requested) }),
    request: (key, requested) => ({ ...requested, key, runId: "r", callerType: "workflow_node" }),
  };
  const host = openHost({
    lease: { runId: "r", epoch: 1 },
    startedAt: 0,
    events,
    calls: "calls" in input ? input.calls : defaults,
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

function go<T>(setting: Setting, flow: () => RunProgram<T>): Promise<ProgramOutcome<T>> {
  return new EffectRunner(open(setting).host).run(flow());
}

function* output(key: string, tool: string, args?: unknown): RunProgram<unknown> {
  const outcome = yield* performCall(key, work(tool, args));
  if (outcome.kind !== "call" || !outcome.result.success) return "failed";
  return outcome.result.output;
}

describe("a program", () => {
  const echo = sampleTool(({ value }) => value, { name: "echo", effect: "pure" });
  const engine = createEngine({ tools: [echo] });

  test("receives the outcome of each effect that it yields", async () => {
    const ended = await go({ engine }, function* () {
      const one = yield* output("a#1", "echo", { value: 1 });
      const two = yield* output("b#1", "echo", { value: 2 });
      return [one, two];
    });
    expect(ended).toEqual({ kind: "done", value: [1, 2] });
  });

  test("returns the values of concurrent programs in order, within the concurrency limit", async () => {
    let running = 0;
    let max = 0;
    const slow = sampleTool(
      async ({ ms }) => {
        max = Math.max(max, ++running);
        await new Promise((resolve) => setTimeout(resolve, Number(ms)));
        running--;
        return ms;
      },
      { name: "slow", effect: "read" },
    );
    const times = [9, 1, 5, 2, 7];
    const ended = await go({ engine: createEngine({ tools: [slow] }) }, () =>
      runAll(
        times.map((ms, index) => output(`s${index}#1`, "slow", { ms })),
        2,
      ),
    );
    expect(ended).toEqual({ kind: "done", value: times });
    expect(max).toBe(2);
  });

  test("a program that throws ends with its error after the concurrent programs have ended", async () => {
    const seen: unknown[] = [];
    // oxlint-disable-next-line require-yield -- it throws before its first yield
    function* broken(): RunProgram<unknown> {
      throw new Error("broken");
    }
    function* fine(): RunProgram<unknown> {
      const value = yield* output("f#1", "echo", { value: "fine" });
      seen.push(value);
      return value;
    }
    const ended = await go({ engine }, () => runAll([fine(), broken(), fine()]));
    expect(ended).toMatchObject({ kind: "broke", error: { message: "broken" } });
    expect(seen).toEqual(["fine"]);
  });

  test("a program that uses one key twice at the same time is refused", async () => {
    await expect(go({ engine }, () => runAll([output("x#1", "echo"), output("x#1", "echo")]))).rejects.toThrow(
      "uses the key x#1 twice",
    );
  });

  test("is cancelled: running calls end, and no new call starts", async () => {
    const hang = sampleTool(
      (_args, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
      {
        name: "hang",
        effect: "read",
      },
    );
    const { host } = open({ engine: createEngine({ tools: [hang, echo] }) });
    const flow = new EffectRunner(host);
    const log: unknown[] = [];
    const ended = flow.run(
      (function* () {
        const outcome = yield* performCall("h#1", work("hang"));
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

describe("[N12] a program that is replayed", () => {
  const counted = () => {
    let calls = 0;
    const tool = sampleTool(() => ++calls, { name: "count", effect: "idempotent" });
    return { engine: createEngine({ tools: [tool] }), calls: () => calls };
  };

  function* three(): RunProgram<unknown> {
    const pair = yield* runAll([output("a#1", "count"), output("b#1", "count")]);
    const last = yield* output("c#1", "count");
    return [pair, last];
  }

  test("repeats no journaled call, from any prefix of the journal", async () => {
    const { engine, calls } = counted();
    const whole = open({ engine });
    const first = await new EffectRunner(whole.host).run(three());
    expect(calls()).toBe(3);
    const events = whole.written.map(withoutRecord);
    for (let length = 0; length <= events.length; length++) {
      const known = events.slice(0, length).filter(({ kind }) => kind === "settled").length;
      const { engine: other, calls: again } = counted();
      const ended = await new EffectRunner(open({ engine: other, events: events.slice(0, length) }).host).run(three());
      expect(ended.kind).toBe("done");
      expect(again()).toBe(3 - known);
      // Calls without a recorded outcome run now and return other numbers.
      expect(known < 3 || isDeepStrictEqual(ended, first)).toBe(true);
    }
  });

  test("can be replayed read-only without executing anything", async () => {
    const { engine, calls } = counted();
    const whole = open({ engine });
    const first = await new EffectRunner(whole.host).run(three());
    const events = whole.written.map(withoutRecord);
    const looking = { engine, events, calls: undefined };
    expect(await new EffectRunner(open(looking).host).run(three())).toEqual(first);
    const part = { engine, events: events.slice(0, 2), calls: undefined };
    expect(await new EffectRunner(open(part).host).run(three())).toEqual({ kind: "suspended" });
    expect(calls()).toBe(3);
  });
});

describe("a chain nested in a program", () => {
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

  function* twice(): RunProgram<unknown> {
    if (plan === undefined) throw new Error("no plan");
    const sums = yield* runAll(
      [1, 10].map((n) => runSubChain({ key: `sum${n}`, plan, input: { n }, onEvent: undefined })),
    );
    const last = yield* output("last#1", "add", { a: 1, b: 1 });
    return [...sums.map((facts) => facts.output), last];
  }

  test("runs in the journal of the program, several chains at once", async () => {
    const { host, written } = open({ engine });
    const ended = await new EffectRunner(host).run(twice());
    expect(ended).toEqual({ kind: "done", value: [5, 23, { sum: 2 }] });
    const keys = written.filter(({ kind }) => kind === "settled").map(({ key }) => key);
    expect(new Set(keys).size).toBe(7);
    expect(keys.filter((key) => key.startsWith("sum1/"))).toHaveLength(3);
  });

  test("resumes from any prefix of the journal and runs nothing twice", async () => {
    const { host, written } = open({ engine });
    const first = await new EffectRunner(host).run(twice());
    const events = written.map(withoutRecord);
    for (let length = 0; length <= events.length; length++) {
      const cut = open({ engine, events: events.slice(0, length) });
      expect(await new EffectRunner(cut.host).run(twice())).toEqual(first);
      const settled = cut.written.filter(({ kind }) => kind === "settled").map(({ key }) => key);
      expect(new Set(settled).size).toBe(settled.length);
    }
  });

  test("with many steps that end synchronously completes", async () => {
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
    const ended = await go({ engine }, () => runSubChain({ key: "w", plan: wide, input: {}, onEvent: undefined }));
    expect(ended).toMatchObject({ kind: "done", value: { status: "success", output: 200 } });
  });

  test("is cancelled with the program", async () => {
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
    const ended = new EffectRunner(host).run(runSubChain({ key: "c", plan: stuck, input: {}, onEvent: undefined }));
    setTimeout(() => host.cancelRun(undefined), 10);
    expect(await ended).toMatchObject({ kind: "done", value: { status: "cancelled" } });
  });
});

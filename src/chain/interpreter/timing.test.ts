import { describe, expect, test } from "vitest";
import { heard, runWith, taking } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type MockAnswer, type MockHandler, mock } from "../../testing/chain/mock-tools.ts";
import type { StepSpec } from "../plan/chain-spec.ts";

/** Counts how many handlers run at once. */
function counting(clock: FakeClock, ms: number): { readonly run: MockHandler; peak: number } {
  let now = 0;
  const counted = {
    peak: 0,
    run: (async (args, context) => {
      counted.peak = Math.max(counted.peak, ++now);
      try {
        return await taking(clock, ms)(args, context);
      } finally {
        now--;
      }
    }) satisfies MockHandler as MockHandler,
  };
  return counted;
}

describe("the start of steps", () => {
  test("[N01] a step starts when its own references are settled, not with its level: the run takes its critical path", async () => {
    const clock = new FakeClock();
    // Step: latency and needs. The critical path is a e i l = 100 + 400 + 100 + 50.
    const steps: Record<string, [number, string[]]> = {
      a: [100, []],
      b: [300, []],
      c: [50, []],
      d: [20, ["a"]],
      e: [400, ["a"]],
      f: [100, ["b"]],
      g: [200, ["c"]],
      h: [150, ["c", "d"]],
      i: [100, ["e"]],
      j: [80, ["f", "g"]],
      k: [10, ["h"]],
      l: [50, ["i", "j", "k"]],
    };
    const tools = Object.fromEntries(Object.entries(steps).map(([id, [ms]]) => [`t-${id}`, taking(clock, ms)]));
    const { result, tookMs, state } = await runWith(
      {
        name: "twelve",
        max_parallel: 12,
        steps: Object.entries(steps).map(([id, [, needs]]) => ({
          id,
          tool: `t-${id}`,
          params: Object.fromEntries(needs.map((need) => [need, `\${steps.${need}.output}`])),
        })),
      },
      { clock, tools },
    );
    const critical = 650;
    const { metrics } = result.log();
    console.log(
      `12 steps: ${tookMs} ms, critical path ${critical} ms, ratio ${(tookMs / critical).toFixed(3)}, ` +
        `parallel_speedup ${metrics.parallel_speedup}`,
    );
    expect(tookMs).toBe(critical);
    expect(tookMs / critical).toBeLessThanOrEqual(1.05);
    expect(metrics.parallel_speedup).toBeGreaterThan(2);
    expect(state("h").startedAt - result.startedAt).toBe(120);
  });

  test("[A10] independent steps run in parallel, five at a time by default", async () => {
    const clock = new FakeClock();
    const counted = counting(clock, 100);
    const steps = Array.from({ length: 12 }, (_, i) => ({ id: `s${i}`, tool: "t" }));
    const { tookMs } = await runWith({ name: "c", steps }, { clock, tools: { t: counted.run } });
    expect([counted.peak, tookMs]).toEqual([5, 300]);
    const wide = counting(clock, 100);
    const { tookMs: wider } = await runWith({ name: "c", max_parallel: 3, steps }, { clock, tools: { t: wide.run } });
    expect([wide.peak, wider]).toEqual([3, 400]);
  });

  test("[A08] steps are planned, ordered, run and collected, regardless of their order in the file", async () => {
    const { calls, result } = await runWith(
      {
        name: "c",
        steps: [
          { id: "third", tool: "t", params: { x: "${steps.second.output.x}" } },
          { id: "second", tool: "t", params: { x: "${steps.first.output.x}" } },
          { id: "first", tool: "t", params: { x: "${input.x}" } },
        ],
        output: "${steps.third.output.x}",
      },
      { tools: { t: (args: unknown) => args }, input: { x: 7 } },
    );
    expect(calls.map(({ idempotencyKey }) => idempotencyKey.split("/").at(-1))).toEqual(["first", "second", "third"]);
    expect(result.output).toBe(7);
  });
});

describe("time limits", () => {
  test("a step that takes longer than its timeout is aborted and fails, attempt by attempt", async () => {
    const clock = new FakeClock();
    let aborts = 0;
    const { state, tookMs } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "a",
            tool: "t",
            timeout: 2,
            retry: { max: 1, delay: 1, jitter: false },
            error_handling: { strategy: "continue" },
          },
        ],
      },
      { clock, tools: { t: mock({ effect: "read", answer: heard(taking(clock, 60_000, 1), () => aborts++) }) } },
    );
    expect(state("a")).toMatchObject({ status: "failed", attempts: 2, error: { code: "timeout" } });
    expect([aborts, tookMs]).toEqual([2, 5000]);
  });

  test("a run that takes too long is cancelled, in any state", async () => {
    const clock = new FakeClock();
    const doing: Record<string, Omit<StepSpec, "id">> = {
      "a call": { tool: "slow" },
      "a pause": { tool: "bad", retry: { max: 5, delay: 60, jitter: false } },
      items: { tool: "slow", for_each: [1, 2, 3, 4, 5, 6, 7] },
      rounds: { tool: "quick", repeat: { until: "${false}", max: 1000, delay: 0.5 } },
      "a chain": { tool: "sub" },
    };
    for (const [what, step] of Object.entries(doing)) {
      let aborts = 0;
      const { result, tookMs, statuses } = await runWith(
        { name: "c", timeout: "1500ms", steps: [{ id: "s", ...step }] },
        {
          clock,
          tools: {
            slow: heard(taking(clock, 60_000, 1), () => aborts++),
            quick: 1,
            bad: mock({
              effect: "read",
              answer: () => {
                throw new Error("down");
              },
            }),
          },
          others: [{ name: "sub", steps: [{ id: "x", tool: "slow", for_each: [1, 2] }] }],
        },
      );
      expect([what, result.status, result.error?.code, tookMs]).toEqual([what, "failed", "timeout", 1500]);
      expect([what, statuses["s"]]).toEqual([what, "cancelled"]);
      expect([what, aborts]).toEqual([what, { "a call": 1, items: 5, "a chain": 2 }[what] ?? 0]);
      expect([what, clock.timers]).toEqual([what, 0]);
    }
  });

  test("a sub-chain has its own limit and that of the step that calls it, and a fallback can recover its failure", async () => {
    const clock = new FakeClock();
    const sub = { name: "sub", timeout: 10, steps: [{ id: "x", tool: "slow" }] };
    const step = { id: "s", tool: "sub", error_handling: { strategy: "fallback", fallback: [{ tool: "f" }] } };
    const tools = { slow: taking(clock, 60_000), f: "instead" };
    const own = await runWith({ name: "c", steps: [step] }, { clock, tools, others: [sub] });
    expect([own.tookMs, own.result.output]).toEqual([10_000, { s: "instead" }]);
    const callers = await runWith({ name: "c", steps: [{ ...step, timeout: 3 }] }, { clock, tools, others: [sub] });
    expect([callers.tookMs, callers.result.output]).toEqual([3000, { s: "instead" }]);
    expect(callers.state("s").failures?.[0]?.error).toMatchObject({ code: "timeout" });
  });
});

describe("limits of the engine", () => {
  test("steps beyond a rate wait for any time: the queue's time limit does not apply to them", async () => {
    const { result, tookMs } = await runWith(
      {
        name: "wide",
        max_parallel: 100,
        steps: Array.from({ length: 100 }, (_, n) => ({ id: `s${n}`, tool: "t", params: {} })),
      },
      { tools: { t: "done" }, settings: { concurrency: { rateLimits: { general: "1/s" } } } },
    );
    expect(result.status).toBe("success");
    expect(tookMs).toBeGreaterThanOrEqual(99_000);
  });

  test("a run's own limit ends the wait", async () => {
    const steps = Array.from({ length: 20 }, (_, n) => ({ id: `s${n}`, tool: "t", params: {} }));
    const { result, tookMs } = await runWith(
      { name: "wide", timeout: 5, max_parallel: 20, steps },
      { tools: { t: "done" }, settings: { concurrency: { rateLimits: { general: "1/s" } } } },
    );
    expect(result.error?.code).toBe("timeout");
    expect(tookMs).toBe(5_000);
  });
});

describe("cancellation", () => {
  test("reaches every running handler: of steps, items and sub-chains of sub-chains", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const aborted: string[] = [];
    const slow = (name: string): MockAnswer => heard(taking(clock, 60_000, 1), () => aborted.push(name));
    clock.after(1000, () => stop.abort());
    const { result, statuses, tookMs } = await runWith(
      {
        name: "c",
        steps: [
          { id: "step", tool: "a" },
          { id: "items", tool: "b", for_each: [1, 2, 3], concurrency: 2 },
          { id: "nested", tool: "outer" },
          { id: "pausing", tool: "bad", retry: { max: 3, delay: 100 } },
          { id: "later", tool: "a", depends_on: ["step"] },
        ],
      },
      {
        clock,
        signal: stop.signal,
        tools: {
          a: slow("step"),
          b: slow("item"),
          c: slow("nested"),
          bad: mock({
            effect: "read",
            answer: () => {
              throw new Error("down");
            },
          }),
        },
        others: [
          { name: "outer", steps: [{ id: "o", tool: "inner" }] },
          { name: "inner", steps: [{ id: "i", tool: "c", for_each: [1, 2] }] },
        ],
      },
    );
    expect(result).toMatchObject({ status: "cancelled", success: false, error: { code: "cancelled" } });
    expect(aborted.toSorted()).toEqual(["item", "item", "nested", "nested", "step"]);
    expect(new Set(Object.values(statuses))).toEqual(new Set(["cancelled"]));
    expect([tookMs, clock.timers]).toEqual([1000, 0]);
  });

  test("a run whose signal was aborted before starts nothing", async () => {
    const { result, calls, events } = await runWith(
      { name: "c", steps: [{ id: "a", tool: "t" }] },
      { tools: { t: 1 }, signal: AbortSignal.abort() },
    );
    expect([result.status, calls.length]).toEqual(["cancelled", 0]);
    expect(events.at(-1)).toMatchObject({ type: "run-finished", status: "cancelled" });
  });

  test("a handler that ignores its signal is abandoned, and the run still ends", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    clock.after(100, () => stop.abort());
    const { result } = await runWith(
      { name: "c", steps: [{ id: "a", tool: "t" }] },
      { clock, signal: stop.signal, tools: { t: () => new Promise(() => {}) } },
    );
    expect(result.status).toBe("cancelled");
  });
});

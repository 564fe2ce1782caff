import { describe, expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { fail, failure } from "../base/index.ts";
import type { AnyTool } from "../tool/index.ts";
import { type CallContext, forWorkflow } from "./call-context.ts";
import { createEngine } from "./engine.ts";
import { retryDelay } from "./retry.ts";

describe("the delay before a retry", () => {
  const state = {
    effect: "read" as const,
    failure: failure("not_available", "x"),
    attempts: 1,
    maxRetries: 3,
    elapsedMs: 0,
    budgetMs: 30_000,
  };
  const bounds = (attempts: number): (number | undefined)[] =>
    [0, 0.999_999].map((random) => retryDelay({ ...state, attempts, maxRetries: 99 }, () => random));

  test("doubles each time up to ten seconds, and half of it is random", () => {
    for (const [attempts, base] of [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000].entries()) {
      const [low, high] = bounds(attempts + 1);
      expect(low).toBe(base / 2);
      expect(high).toBeGreaterThan(base * 0.99);
      expect(high).toBeLessThan(base);
    }
  });

  test("is never shorter than the service requested", () => {
    const requested = failure("not_available", "x", { retryAfterMs: 5000 });
    expect(retryDelay({ ...state, failure: requested }, () => 0)).toBe(5000);
    expect(retryDelay({ ...state, failure: failure("not_available", "x", { retryAfterMs: 1 }) }, () => 0)).toBe(100);
  });

  test("there is no retry beyond the budget, after the last attempt, or if a retry is not safe", () => {
    expect(retryDelay({ ...state, elapsedMs: 29_900 }, () => 0)).toBeUndefined();
    expect(retryDelay({ ...state, elapsedMs: 29_899 }, () => 0)).toBe(100);
    expect(retryDelay({ ...state, attempts: 4 }, () => 0)).toBeUndefined();
    expect(retryDelay({ ...state, attempts: 3 }, () => 0)).toBe(400);
    for (const retry of ["unsafe", "never"] as const) {
      expect(retryDelay({ ...state, failure: failure("execution_error", "x", { retry }) }, () => 0)).toBeUndefined();
    }
  });

  test("limits that are not numbers mean no retry", () => {
    expect(retryDelay({ ...state, maxRetries: Number.NaN }, () => 0)).toBeUndefined();
    expect(retryDelay({ ...state, budgetMs: Number.NaN }, () => 0)).toBeUndefined();
    const odd = failure("not_available", "x", { retryAfterMs: Number.NaN });
    expect(retryDelay({ ...state, failure: odd }, () => 0)).toBeUndefined();
  });
});

/** Calls a tool until it has its result, and returns how often and when it ran. */
async function attempts(tool: (runs: number[]) => AnyTool, context: CallContext = {}) {
  const clock = new FakeClock();
  const runs: number[] = [];
  const begin = clock.elapsed();
  const record = (list: number[]): number => list.push(clock.elapsed() - begin);
  const engine = createEngine({ clock, random: () => 0 });
  const made = tool(runs);
  const counted: AnyTool = {
    ...made,
    run: (args, ctx) => {
      record(runs);
      return made.run(args, ctx);
    },
  };
  const pending = engine.call(counted, {}, context);
  await clock.pass(120_000);
  return { runs, result: await pending, engine, clock };
}

const failing =
  (error: unknown, effect: "pure" | "read" | "idempotent" | "once" = "read"): (() => AnyTool) =>
  () =>
    sampleTool(
      () => {
        throw error;
      },
      { effect },
    );

describe("[N02] retries of root calls", () => {
  test("a read or idempotent tool is retried with growing delays", async () => {
    for (const effect of ["read", "idempotent"] as const) {
      const { runs, result } = await attempts(failing(new Error("flaky"), effect));
      expect(runs).toEqual([0, 100, 300, 700]);
      expect(result).toMatchObject({
        success: false,
        error: { message: "flaky" },
        meta: { attempts: 4 },
        durationMs: 700,
      });
    }
  });

  test("the first success ends it", async () => {
    const { result, runs, engine } = await attempts((ran) =>
      sampleTool(async () => {
        if (ran.length < 3) throw new Error("flaky");
        return "fine";
      }),
    );
    expect(result).toMatchObject({ success: true, output: "fine", meta: { attempts: 3 } });
    expect(runs.length).toBe(3);
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 0, totalAcquired: 3, totalReleased: 3 });
    expect((await engine.queryRecords({})).records).toMatchObject([{ attempts: 3, success: true }]);
  });

  test.each([
    ["a second run would do harm", failing(new Error("x"), "once")],
    ["the same arguments give the same failure", failing(new Error("x"), "pure")],
    ["the handler has a bug", failing(new TypeError("undefined is not a function"))],
    ["the tool says never", failing(fail("x", { retry: "never" }))],
    ["the output is not JSON", () => sampleTool(() => 1n)],
  ] as const)("there is only one attempt if %s", async (_why, tool) => {
    const { runs, result } = await attempts(tool);
    expect(runs.length).toBe(1);
    expect(result.meta.attempts).toBe(1);
  });

  test("a once tool is not retried, even if its failure says that nothing happened", async () => {
    const { runs } = await attempts(failing(fail("busy", { retry: "safe" }), "once"));
    expect(runs.length).toBe(1);
  });

  test("an output that does not match the output schema is retried if the effect allows it", async () => {
    const output = { json: {}, validate: () => ({ issues: [{ path: [], code: "type", message: "odd" }] }) };
    expect((await attempts(() => sampleTool(() => 1, { output }))).runs.length).toBe(4);
    expect((await attempts(() => sampleTool(() => 1, { output, effect: "once" }))).runs.length).toBe(1);
  });

  test("the delay that a service requested is honored, and there is no retry if it exceeds the deadline", async () => {
    const patient = await attempts(failing(fail("busy", { code: "not_available", retryAfterMs: 9000 })));
    expect(patient.runs).toEqual([0, 9000, 18_000, 27_000]);
    const hasty = await attempts(failing(fail("busy", { code: "not_available", retryAfterMs: 40_000 })));
    expect(hasty.runs).toEqual([0]);
    expect(hasty.result).toMatchObject({ error: { retryAfterMs: 40_000 } });
  });

  test("all attempts share the time of the deadline", async () => {
    const { runs } = await attempts(failing(new Error("x")), { timeoutMs: 350, maxRetries: 99 });
    expect(runs).toEqual([0, 100, 300]);
  });

  test("a timeout has used up that time and is not retried", async () => {
    const { runs, result } = await attempts(() => sampleTool(() => new Promise(() => {})), { timeoutMs: 100 });
    expect(runs).toEqual([0]);
    expect(result).toMatchObject({ error: { code: "timeout" } });
  });

  test("the context sets the maximum number of retries", async () => {
    expect((await attempts(failing(new Error("x")), { maxRetries: 0 })).runs.length).toBe(1);
    expect((await attempts(failing(new Error("x")), { maxRetries: 1 })).runs.length).toBe(2);
  });

  test("chain steps are not retried by the engine: the chain retries them", async () => {
    expect((await attempts(failing(new Error("x")), forWorkflow("w", "n"))).runs.length).toBe(1);
    expect((await attempts(failing(new Error("x")), { callerType: "workflow_node" })).runs.length).toBe(1);
    expect((await attempts(failing(new Error("x")), forWorkflow("w", "n", { maxRetries: 1 }))).runs.length).toBe(2);
  });

  test("nested calls are not retried: attempts of a root do not multiply", async () => {
    let inner = 0;
    const child = sampleTool(() => {
      inner++;
      throw new Error("x");
    });
    const { runs } = await attempts(
      () =>
        sampleTool(
          async (_args, { callTool }) => {
            const result = await callTool(child, {});
            if (!result.success) throw new Error("child failed");
          },
          { composite: true },
        ),
      { maxRetries: 2 },
    );
    expect(runs.length).toBe(3);
    expect(inner).toBe(3);
  });

  test("[N05] every attempt has the same idempotency key, its own number and a fresh signal", async () => {
    const seen: { key: string; attempt: number; signal: AbortSignal; callId: string }[] = [];
    const tool = sampleTool((_args, { idempotencyKey, attempt, signal, callId }) => {
      seen.push({ key: idempotencyKey, attempt, signal, callId });
      throw new Error("x");
    });
    const { result } = await attempts(() => tool, { maxRetries: 2 });
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(seen.map(({ key }) => key))).toEqual(new Set([result.meta.callId]));
    expect(new Set(seen.map(({ signal }) => signal)).size).toBe(3);
    await attempts(() => tool, { maxRetries: 0, idempotencyKey: "run/step" });
    expect(seen.at(-1)?.key).toBe("run/step");
  });

  test("the slot is free between attempts", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, concurrency: { maxConcurrent: 1 }, random: () => 0 });
    const order: string[] = [];
    const flaky = sampleTool(() => {
      order.push("flaky");
      if (order.length < 3) throw new Error("x");
      return 1;
    });
    const first = engine.call(flaky, {});
    const second = await engine.call(
      sampleTool(() => order.push("other")),
      {},
    );
    expect(second.success).toBe(true);
    await clock.pass(1000);
    expect((await first).success).toBe(true);
    expect(order).toEqual(["flaky", "other", "flaky"]);
  });

  test("time spent on an elicitation does not use up the time for retries", async () => {
    const clock = new FakeClock();
    const gate = Promise.withResolvers<{ kind: "approved" }>();
    const engine = createEngine({
      clock,
      random: () => 0,
      permissions: { ask: ["*"] },
      approver: { requestApproval: () => gate.promise },
    });
    let runs = 0;
    const tool = sampleTool(() => {
      runs++;
      throw new Error("x");
    });
    const pending = engine.call(tool, {}, { maxRetries: 1 });
    await clock.pass(60_000);
    gate.resolve({ kind: "approved" });
    await clock.pass(1000);
    await pending;
    expect(runs).toBe(2);
  });
});

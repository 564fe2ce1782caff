import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { FakeClock, settle } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "./engine.ts";
import type { EngineOptions } from "./engine-options.ts";

function started(options: EngineOptions = {}) {
  const clock = new FakeClock();
  const engine = createEngine({ clock, random: () => 0, concurrency: { maxConcurrent: 1 }, ...options });
  return { clock, engine, stop: new AbortController() };
}

const hang = sampleTool(() => new Promise(() => {}), { name: "hang" });

describe("[B11] a caller that cancels", () => {
  test("before the call: nothing is resolved, nothing runs", async () => {
    const { engine } = started();
    let ran = false;
    const tool = sampleTool(() => (ran = true));
    const result = await engine.call(tool, {}, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ tool: "work", error: { code: "cancelled", retry: "safe" }, meta: { attempts: 0 } });
    expect(ran).toBe(false);
    expect(engine.metrics()).toMatchObject({ totalAcquired: 0, totalCancelled: 0 });
  });

  test("in the queue: the call leaves at once and its place in the queue is free", async () => {
    const { clock, engine, stop } = started({ concurrency: { maxConcurrent: 1, queueSize: 1 } });
    void engine.call(hang, {}, { timeoutMs: 1000 });
    let ran = 0;
    const tool = sampleTool(() => ++ran, { effect: "once" });
    const queued = engine.call(tool, {}, { signal: stop.signal });
    await clock.pass(40);
    expect(engine.metrics().queueLength).toBe(1);
    stop.abort();
    expect(await queued).toMatchObject({
      error: { code: "cancelled", message: "work was cancelled", retry: "safe" },
      meta: { attempts: 0 },
      durationMs: 40,
    });
    expect(engine.metrics()).toMatchObject({ queueLength: 0, totalCancelled: 1 });
    const next = engine.call(tool, {});
    await clock.pass(2000);
    expect(await next).toMatchObject({ success: true });
    expect(ran).toBe(1);
  });

  test("between the grant of a place and the start: the place goes to the next", async () => {
    const stop = new AbortController();
    // Drawn for the pause before another attempt, in the very turn in which the second is granted the place.
    const { engine } = started({
      random: () => {
        stop.abort();
        return 0;
      },
    });
    const gate = Promise.withResolvers<void>();
    const first = engine.call(
      sampleTool(() => gate.promise),
      {},
      { timeoutMs: 150 },
    );
    let ran = "";
    const second = engine.call(
      sampleTool(() => (ran += "second")),
      {},
      { signal: stop.signal },
    );
    const third = engine.call(
      sampleTool(() => (ran += "third")),
      {},
    );
    gate.reject(new Error("flaky"));
    await settle();
    expect(await second).toMatchObject({ error: { code: "cancelled" }, meta: { attempts: 0 } });
    expect(await third).toMatchObject({ success: true });
    expect(ran).toBe("third");
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 0, queueLength: 0 });
    void first;
  });

  test("while it runs: the signal is aborted with an AbortError", async () => {
    const { engine, stop } = started();
    let reason: unknown;
    const tool = sampleTool(
      (_args, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(new Error("own words"));
          });
        }),
      { effect: "once" },
    );
    const pending = engine.call(tool, {}, { signal: stop.signal });
    stop.abort();
    expect(await pending).toMatchObject({
      error: { code: "cancelled", message: "work was cancelled", retry: "unsafe" },
      meta: { attempts: 1 },
    });
    expect(reason).toMatchObject({ name: "AbortError" });
  });

  test("while it runs and does not listen: it is left behind after the grace period", async () => {
    const { clock, engine, stop } = started();
    const pending = engine.call(hang, {}, { signal: stop.signal });
    stop.abort();
    await clock.pass(500);
    expect(await pending).toMatchObject({
      error: { code: "cancelled", reason: "abandoned" },
      meta: { abandoned: true },
    });
    expect(engine.metrics().currentConcurrent).toBe(0);
  });

  test("in the pause before another attempt: there is no other attempt", async () => {
    const { clock, engine, stop } = started();
    let runs = 0;
    const tool = sampleTool(() => {
      runs++;
      throw new Error("flaky");
    });
    const pending = engine.call(tool, {}, { signal: stop.signal });
    await clock.pass(60);
    stop.abort();
    expect(await pending).toMatchObject({ error: { code: "cancelled" }, meta: { attempts: 1 }, durationMs: 60 });
    await clock.pass(10_000);
    expect(runs).toBe(1);
    expect(clock.holding).toBe(0);
  });

  test("in the queue before another attempt", async () => {
    const { clock, engine, stop } = started();
    let runs = 0;
    const tool = sampleTool(() => {
      runs++;
      throw new Error("flaky");
    });
    const pending = engine.call(tool, {}, { signal: stop.signal });
    await settle();
    const blocking = engine.call(hang, {});
    await clock.pass(200);
    expect(engine.metrics().queueLength).toBe(1);
    stop.abort();
    expect(await pending).toMatchObject({ error: { code: "cancelled" }, durationMs: 200 });
    expect(runs).toBe(1);
    await clock.pass(60_000);
    await blocking;
  });

  test("after the deadline has passed: the call still ends as a timeout", async () => {
    const { clock, engine, stop } = started();
    const pending = engine.call(hang, {}, { signal: stop.signal, timeoutMs: 100 });
    await clock.pass(300);
    stop.abort();
    await clock.pass(300);
    expect(await pending).toMatchObject({ error: { code: "timeout" }, meta: { abandoned: true }, durationMs: 600 });
  });
});

describe("one signal for many calls", () => {
  test("keeps nothing of a call that ended, however it ended", async () => {
    const engine = createEngine({ concurrency: { maxConcurrent: 2, queueSize: 5 }, permissions: { deny: ["denied"] } });
    const { signal } = new AbortController();
    const tools = [
      sampleTool(() => 1),
      sampleTool(async () => settle()),
      sampleTool(() => 1, { name: "denied" }),
      sampleTool(() => {
        throw new TypeError("x");
      }),
      sampleTool(() => 1, { cache: { ttlMs: 1000 } }),
    ];
    for (let n = 0; n < 10_000; n += 10) {
      await Promise.all(
        Array.from({ length: 10 }, (_, at) => engine.call(tools[(n + at) % 5]!, {}, { signal, maxRetries: 0 })),
      );
    }
    await engine.call("nobody", {}, { signal });
    expect(getEventListeners(signal, "abort").length).toBe(0);
  });

  test("warns of no leak with a hundred calls under way, and stops them all", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): unknown => warnings.push(warning);
    process.on("warning", warn);
    const engine = createEngine({ concurrency: { maxConcurrent: 100 }, limits: { graceMs: 0 } });
    const stop = new AbortController();
    const calls = Array.from({ length: 100 }, () => engine.call(hang, {}, { signal: stop.signal }));
    await settle();
    stop.abort();
    const results = await Promise.all(calls);
    await settle();
    process.off("warning", warn);
    expect(warnings).toEqual([]);
    expect(results.every((result) => !result.success && result.error.code === "cancelled")).toBe(true);
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 0 });
  });
});

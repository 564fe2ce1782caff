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
  test("a call cancelled before it starts resolves nothing and runs nothing", async () => {
    const { engine } = started();
    let ran = false;
    const tool = sampleTool(() => (ran = true));
    const result = await engine.call(tool, {}, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ tool: "work", error: { code: "cancelled", retry: "safe" }, meta: { attempts: 0 } });
    expect(ran).toBe(false);
    expect(engine.metrics()).toMatchObject({ totalAcquired: 0, totalCancelled: 0 });
  });

  test("a call cancelled in the queue leaves immediately, and its queue entry is freed", async () => {
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
      durationMs: 0,
      queuedMs: 40,
    });
    expect(engine.metrics()).toMatchObject({ queueLength: 0, totalCancelled: 1 });
    const next = engine.call(tool, {});
    await clock.pass(2000);
    expect(await next).toMatchObject({ success: true });
    expect(ran).toBe(1);
  });

  test("a call cancelled between the grant of a slot and the start passes the slot to the next call", async () => {
    const stop = new AbortController();
    // Called to draw the retry delay, in the same turn in which the second call gets the slot.
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

  test("a running call gets its signal aborted with an AbortError", async () => {
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

  test("a running call that ignores the signal is abandoned after the grace period", async () => {
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

  test("a call cancelled during the retry delay makes no further attempt", async () => {
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

  test("a call cancelled in the queue before a retry makes no further attempt", async () => {
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
    expect(await pending).toMatchObject({ error: { code: "cancelled" }, durationMs: 100, queuedMs: 100 });
    expect(runs).toBe(1);
    await clock.pass(60_000);
    await blocking;
  });

  test("a call cancelled after the deadline has passed still ends as a timeout", async () => {
    const { clock, engine, stop } = started();
    const pending = engine.call(hang, {}, { signal: stop.signal, timeoutMs: 100 });
    await clock.pass(300);
    stop.abort();
    await clock.pass(300);
    expect(await pending).toMatchObject({ error: { code: "timeout" }, meta: { abandoned: true }, durationMs: 600 });
  });
});

describe("one signal for many calls", () => {
  test("retains nothing of a call that ended, regardless of how it ended", async () => {
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

  test("a hundred concurrent calls on one signal cause no leak warning, and are all stopped", async () => {
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

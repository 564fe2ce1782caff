import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FakeClock, settle } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { unhandledRejections } from "../../test/support/unhandled-rejections.ts";
import { createEngine } from "./engine.ts";
import type { EngineOptions } from "./engine-options.ts";

function started(options: EngineOptions = {}) {
  const clock = new FakeClock();
  return { clock, engine: createEngine({ clock, concurrency: { maxConcurrent: 1 }, ...options }) };
}

const idle = { currentConcurrent: 0, queueLength: 0 };

describe("[B08] a deadline aborts the work", () => {
  test("the signal is aborted with a TimeoutError, and a handler that honors it ends the call immediately", async () => {
    const { clock, engine } = started();
    let reason: unknown;
    const tool = sampleTool(
      (_args, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(signal.reason as Error);
          });
        }),
      { timeoutMs: 200 },
    );
    const pending = engine.call(tool, {});
    await clock.pass(199);
    expect(reason).toBeUndefined();
    await clock.pass(1);
    expect(reason).toMatchObject({ name: "TimeoutError" });
    expect(await pending).toMatchObject({
      success: false,
      error: { code: "timeout", message: "work did not finish within 200 ms and was aborted", retry: "safe" },
      durationMs: 200,
    });
    expect((await pending).meta).not.toHaveProperty("abandoned");
    expect(engine.metrics()).toMatchObject(idle);
  });

  test("a value that a handler returns after its deadline is not a success", async () => {
    const { clock, engine } = started();
    const tool = sampleTool(
      (_args, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("too late"))),
      { timeoutMs: 100 },
    );
    const pending = engine.call(tool, {});
    await clock.pass(100);
    expect(await pending).toMatchObject({ success: false, error: { code: "timeout" } });
  });

  test("a handler that ignores its signal is abandoned after the grace period", async () => {
    const { clock, engine } = started();
    const pending = engine.call(
      sampleTool(() => new Promise(() => {})),
      {},
      { timeoutMs: 100 },
    );
    const waiting = engine.call(
      sampleTool(() => "next"),
      {},
    );
    await clock.pass(599);
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 1, queueLength: 1 });
    await clock.pass(1);
    expect(await pending).toMatchObject({
      error: {
        code: "timeout",
        reason: "abandoned",
        message: expect.stringContaining("ignored its abort signal for 500 ms and was abandoned"),
      },
      meta: { abandoned: true },
      durationMs: 600,
    });
    expect(await waiting).toMatchObject({ success: true, output: "next" });
    expect(engine.metrics()).toMatchObject(idle);
  });

  test.each([
    ["result", (gate: PromiseWithResolvers<unknown>) => gate.resolve("late")],
    ["error", (gate: PromiseWithResolvers<unknown>) => gate.reject(new Error("late"))],
  ])("the late %s of an abandoned handler is dropped silently", async (_what, end) => {
    const { clock, engine } = started();
    const unhandled = unhandledRejections();
    const gate = Promise.withResolvers<unknown>();
    const reported: unknown[] = [];
    const pending = engine.call(
      sampleTool(async (_args, ctx) => {
        await gate.promise.finally(() => {
          ctx.progress("late");
          ctx.report({ late: true });
        });
      }),
      {},
      { timeoutMs: 100, onProgress: (value) => reported.push(value) },
    );
    await clock.pass(600);
    const result = await pending;
    const before = JSON.stringify(result);
    const events: string[] = [];
    engine.subscribe(({ type }) => events.push(type));
    end(gate);
    await settle();
    await settle();
    expect(unhandled.stop()).toEqual([]);
    expect(JSON.stringify(result)).toBe(before);
    expect(reported).toEqual([]);
    expect(events).toEqual([]);
    expect((await engine.queryRecords({})).records.length).toBe(1);
    expect(engine.metrics()).toMatchObject({ ...idle, totalReleased: 1 });
  });

  test("the tool's own deadline wins over the context's, and the context's over the engine's", async () => {
    const { clock, engine } = started({ limits: { timeoutMs: 1000, graceMs: 0 }, concurrency: {} });
    const hang = (): Promise<never> => new Promise(() => {});
    const calls = [
      engine.call(sampleTool(hang, { timeoutMs: 10 }), {}, { timeoutMs: 100 }),
      engine.call(sampleTool(hang, { timeoutMs: ({ ms }) => ms as number }), { ms: 20 }, { timeoutMs: 100 }),
      engine.call(sampleTool(hang), {}, { timeoutMs: 100 }),
      engine.call(sampleTool(hang), {}),
    ];
    await clock.pass(2000);
    expect((await Promise.all(calls)).map(({ durationMs }) => durationMs)).toEqual([10, 20, 100, 1000]);
  });

  test("a deadline that is not a number is replaced by the default", async () => {
    const { clock, engine } = started({ limits: { graceMs: 0, timeoutMs: 50 } });
    const tool = sampleTool(() => new Promise(() => {}), { timeoutMs: () => Number.NaN });
    const pending = engine.call(tool, {});
    await clock.pass(51);
    expect(await pending).toMatchObject({ error: { code: "timeout" } });
    expect(clock.timers).toBe(0);
  });

  test("a signal that is read after the deadline is already aborted", async () => {
    const { clock, engine } = started();
    const gate = Promise.withResolvers<void>();
    let late: AbortSignal | undefined;
    const tool = sampleTool(
      async (_args, context) => {
        await gate.promise;
        late = context.signal;
      },
      { timeoutMs: 50 },
    );
    const pending = engine.call(tool, {});
    await clock.pass(50);
    gate.resolve();
    await pending;
    expect(late?.aborted).toBe(true);
    expect(late?.reason).toMatchObject({ name: "TimeoutError" });
  });

  test("after a success the signal is never aborted", async () => {
    const { clock, engine } = started();
    let seen: AbortSignal | undefined;
    const tool = sampleTool(async (_args, { signal }) => void (seen = signal), { timeoutMs: 50 });
    const caller = new AbortController();
    await engine.call(tool, {}, { signal: caller.signal });
    await clock.pass(1000);
    caller.abort();
    await engine.close();
    expect(seen?.aborted).toBe(false);
  });

  test("a call that ends in time leaves no timer that holds the process", async () => {
    const { clock, engine } = started();
    await engine.call(
      sampleTool(async () => 1),
      {},
    );
    expect(clock.holding).toBe(0);
  });

  test("the verdict of a timeout follows the effect", async () => {
    const { clock, engine } = started({ limits: { graceMs: 0, timeoutMs: 10 }, concurrency: {} });
    const calls = (["pure", "read", "idempotent", "once"] as const).map((effect) =>
      engine.call(
        sampleTool(() => new Promise(() => {}), { effect }),
        {},
      ),
    );
    await clock.pass(10);
    const verdicts = (await Promise.all(calls)).map((result) => (result.success ? "" : result.error.retry));
    expect(verdicts).toEqual(["safe", "safe", "safe", "unsafe"]);
  });
});

describe("a handler that causes its own abort before its first await", () => {
  test.each([
    ["at once", (stop: () => void) => stop()],
    ["through the caller's onProgress", (_stop: () => void, progress: () => void) => progress()],
  ])("%s, and ignores it, is abandoned after the grace period", async (_how, cause) => {
    const { clock, engine } = started();
    const caller = new AbortController();
    const tool = sampleTool(async (_args, ctx) => {
      cause(
        () => caller.abort(),
        () => ctx.progress(1),
      );
      await new Promise(() => {});
    });
    const pending = engine.call(tool, {}, { signal: caller.signal, onProgress: () => caller.abort() });
    await clock.pass(500);
    expect(await pending).toMatchObject({
      error: { code: "cancelled", reason: "abandoned" },
      meta: { abandoned: true },
    });
    expect(engine.metrics()).toMatchObject(idle);
  });

  test("a generator that aborts itself ends, and its finally block runs", async () => {
    const { engine } = started();
    const caller = new AbortController();
    let cleaned = false;
    const tool = sampleTool(async function* () {
      try {
        caller.abort();
        yield 1;
        yield 2;
      } finally {
        cleaned = true;
      }
    });
    expect(await engine.call(tool, {}, { signal: caller.signal })).toMatchObject({ error: { code: "cancelled" } });
    expect(cleaned).toBe(true);
  });
});

describe("asynchronous return values of handlers", () => {
  test("a foreign promise is awaited like any other", async () => {
    const { engine } = started();
    const inner = thenable((resolve) => resolve(7));
    const foreign = thenable((resolve) => resolve(inner));
    expect(
      await engine.call(
        sampleTool(() => foreign),
        {},
      ),
    ).toMatchObject({ success: true, output: 7 });
  });

  test.each([
    ["throws", () => raise(new Error("then broke"))],
    [
      "rejects twice",
      (_resolve: unknown, reject: (error: Error) => void): void =>
        [1, 2].forEach(() => reject(new Error("then broke"))),
    ],
  ])("a foreign promise that %s fails the call and frees its slot", async (_what, then) => {
    const { engine } = started();
    const result = await engine.call(
      sampleTool(() => thenable(then)),
      {},
      { maxRetries: 0 },
    );
    expect(result).toMatchObject({ error: { code: "execution_error", message: "then broke" } });
    expect(engine.metrics()).toMatchObject({ ...idle, totalReleased: 1 });
  });

  test.each([
    [
      "a getter that throws",
      () => Object.defineProperty({}, "a", { get: () => raise(new Error("get")), enumerable: true }),
    ],
    ["a proxy that throws", () => new Proxy({}, { has: () => raise(new Error("has")), get: () => undefined })],
    ["attachments that are none", () => ({ [Symbol.for("windlass.ok")]: true, output: 1, attachments: [undefined] })],
  ])("an output with %s fails the call and frees its slot", async (_what, output) => {
    const { engine } = started();
    const unhandled = unhandledRejections();
    const generator = async function* () {
      yield 1;
      return output();
    };
    for (const run of [output, async () => output(), generator]) {
      const result = await engine.call(sampleTool(run), {}, { maxRetries: 0 });
      expect(result).toMatchObject({ success: false, meta: { attempts: 1 } });
    }
    expect(engine.metrics()).toMatchObject({ ...idle, totalReleased: 3 });
    expect(unhandled.stop()).toEqual([]);
  });
});

describe("schemas that take their time", () => {
  const hanging = { json: { type: "object" }, validate: () => new Promise<never>(() => {}) };

  test("an input schema that never settles is stopped by the deadline", async () => {
    const { clock, engine } = started();
    const pending = engine.call({ ...sampleTool(() => 1), input: hanging }, {}, { timeoutMs: 300 });
    await clock.pass(300);
    expect(await pending).toMatchObject({
      error: { code: "timeout", message: "work did not finish within 300 ms and was aborted", retry: "safe" },
      meta: { attempts: 0 },
    });
    expect(clock.holding).toBe(0);
  });

  test("an input schema that never settles can be cancelled", async () => {
    const { engine } = started();
    const caller = new AbortController();
    const pending = engine.call({ ...sampleTool(() => 1), input: hanging }, {}, { signal: caller.signal });
    caller.abort();
    expect(await pending).toMatchObject({ error: { code: "cancelled" }, meta: { attempts: 0 } });
  });

  test("an output schema that never settles is stopped by a deadline, and the slot is freed", async () => {
    const { clock, engine } = started();
    for (const run of [() => 1, async () => 1]) {
      const pending = engine.call({ ...sampleTool(run), output: hanging }, {}, { timeoutMs: 300 });
      await clock.pass(800);
      expect(await pending).toMatchObject({ error: { code: "timeout" } });
      expect(engine.metrics()).toMatchObject(idle);
    }
  });

  test("an output schema that rejects later fails the call and frees its slot", async () => {
    const { engine } = started();
    const output = { json: {}, validate: () => Promise.reject(new Error("schema broke")) };
    for (const run of [() => 1, async () => 1]) {
      const result = await engine.call({ ...sampleTool(run), output }, {}, { maxRetries: 0 });
      expect(result).toMatchObject({ error: { code: "execution_error", message: "schema broke" } });
      expect(engine.metrics()).toMatchObject(idle);
    }
  });

  test.each([
    ["is cancelled", { cancels: true, ms: 0, code: "cancelled" }],
    ["runs out of time", { cancels: false, ms: 1000, code: "timeout" }],
  ])("an input schema that hangs before a retry: the call %s", async (_what, { cancels, ms, code }) => {
    const { clock, engine } = started();
    let checks = 0;
    const input = { json: {}, validate: () => (++checks === 1 ? { value: {} } : new Promise<never>(() => {})) };
    const flaky = sampleTool(() => raise(new Error("flaky")));
    const stop = new AbortController();
    const pending = engine.call({ ...flaky, input }, {}, { timeoutMs: 1000, signal: stop.signal });
    await clock.pass(300);
    expect(checks).toBe(2);
    if (cancels) stop.abort();
    await clock.pass(ms);
    expect(await pending).toMatchObject({ error: { code }, meta: { attempts: 1 } });
    expect(clock.holding).toBe(0);
  });

  test("async schemas transform the handler's input and the caller's output", async () => {
    const { engine } = started();
    const tool = sampleTool(({ n }) => n, {
      input: z.object({ n: z.number().transform(async (n) => n + 1) }),
      output: z.number().transform(async (n) => n * 10),
    });
    expect(await engine.call(tool, { n: 1 })).toMatchObject({ success: true, output: 20 });
  });
});

type Then = (resolve: (value: unknown) => void, reject: (error: Error) => void) => void;

/** A promise of some other library. */
function thenable(then: Then): object {
  // oxlint-disable-next-line unicorn/no-thenable -- the very thing under test
  return Object.defineProperty({}, "then", { value: then });
}

function raise(value: unknown): never {
  throw value;
}

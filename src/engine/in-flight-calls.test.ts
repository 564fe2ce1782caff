import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FakeClock, settle } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { unhandledRejections } from "../../test/support/unhandled-rejections.ts";
import { createInMemoryResultCache } from "../store/index.ts";
import { type AnyTool, type ToolResult, ok } from "../tool/index.ts";
import { type CallContext, forWorkflow } from "./call-context.ts";
import { createEngine } from "./engine.ts";
import type { EngineOptions } from "./engine-options.ts";

const cache = { ttlMs: 1000 };

/** An engine, and a tool that counts its runs. */
function counting(options: EngineOptions = {}, more: Parameters<typeof sampleTool>[1] = {}) {
  const clock = new FakeClock();
  const engine = createEngine({ clock, ...options });
  const seen = { runs: 0 };
  const tool = sampleTool((args) => ({ run: ++seen.runs, args }), { cache, ...more });
  return { clock, engine, seen, tool };
}

/** Returns a tool that runs until the test ends it. */
function gated(more: Parameters<typeof sampleTool>[1] = {}) {
  const gate = Promise.withResolvers<unknown>();
  const seen = { runs: 0, aborted: 0 };
  const tool = sampleTool(
    (_args, { signal }) => {
      seen.runs++;
      return new Promise((resolve, reject) => {
        gate.promise.then(resolve, reject);
        signal.addEventListener("abort", () => {
          seen.aborted++;
          reject(signal.reason as Error);
        });
      });
    },
    { cache, ...more },
  );
  return { gate, seen, tool };
}

describe("the result cache", () => {
  test("an identical call is served from the cache until the entry expires", async () => {
    const { clock, engine, seen, tool } = counting();
    const first = await engine.call(tool, { a: 1, b: [2] });
    await clock.pass(999);
    const second = await engine.call(tool, { b: [2], a: 1 });
    expect(second).toMatchObject({ success: true, output: { run: 1 }, meta: { cached: true, attempts: 0 } });
    expect(first.meta).not.toHaveProperty("cached");
    expect(second.meta.callId).not.toBe(first.meta.callId);
    await clock.pass(1);
    expect(await engine.call(tool, { a: 1, b: [2] })).toMatchObject({ output: { run: 2 } });
    expect(seen.runs).toBe(2);
  });

  test("other arguments, another principal and another tool are not served from the cache", async () => {
    const { engine, seen, tool } = counting();
    const contexts: CallContext[] = [{}, { principal: "ann" }, { principal: "bob" }, { principal: "null" }];
    for (const context of contexts) await engine.call(tool, { a: 1 }, context);
    await engine.call(tool, { a: 2 });
    await engine.call(tool, { a: "1" });
    expect(seen.runs).toBe(6);
    for (const context of contexts) await engine.call(tool, { a: 1 }, context);
    expect(seen.runs).toBe(6);
    const twin: AnyTool = { ...tool, name: "twin" };
    await engine.call(twin, { a: 1 });
    expect(seen.runs).toBe(7);
  });

  test("a tool that was replaced under its name does not get cached results of the old one", async () => {
    const engine = createEngine({ tools: [sampleTool(() => "old", { cache })] });
    expect(await engine.call("work", {})).toMatchObject({ output: "old" });
    engine.tools.register(sampleTool(() => "new", { cache }));
    expect(await engine.call("work", {})).toMatchObject({ output: "new" });
  });

  test("failures are not cached", async () => {
    const { engine } = counting();
    let runs = 0;
    const tool = sampleTool(
      () => {
        if (++runs === 1) throw new Error("once");
        return runs;
      },
      { cache },
    );
    expect(await engine.call(tool, {}, { maxRetries: 0 })).toMatchObject({ success: false });
    expect(await engine.call(tool, {}, { maxRetries: 0 })).toMatchObject({ success: true, output: 2 });
  });

  test("results with attachments are not cached", async () => {
    let runs = 0;
    const tool = sampleTool(
      () => ok(++runs, { attachments: [{ kind: "file", mimeType: "text/plain", data: new Uint8Array([1]) }] }),
      { cache },
    );
    const engine = createEngine();
    await engine.call(tool, {});
    expect(await engine.call(tool, {})).toMatchObject({ output: 2 });
  });

  test("no two callers ever share an object", async () => {
    const { engine, tool } = counting();
    const outputs = [];
    for (let n = 0; n < 3; n++) {
      const result = await engine.call(tool, { list: [1] });
      const output = (result as { output: { args: { list: number[] } } }).output;
      output.args.list.push(99);
      outputs.push(output);
    }
    expect(outputs.map(({ args }) => args.list)).toEqual([
      [1, 99],
      [1, 99],
      [1, 99],
    ]);
  });

  test("arguments that are only equal as JSON are not shared", async () => {
    const { engine, seen, tool } = counting();
    const odd: Record<string, unknown>[] = [
      { a: new Map([[1, 1]]) },
      { a: new Map([[2, 2]]) },
      { a: Number.NaN },
      { a: Infinity },
      { a: new Date(0) },
      { a: undefined },
    ];
    for (const args of [...odd, ...odd]) await engine.call(tool, args);
    expect(seen.runs).toBe(12);
  });

  test("arguments beyond a megabyte are not shared", async () => {
    const { engine, seen, tool } = counting({}, { output: { json: {}, validate: () => ({ value: 1 }) } });
    const args = { text: "x".repeat(1 << 20) };
    await engine.call(tool, args);
    await engine.call(tool, args);
    expect(seen.runs).toBe(2);
  });

  test("a cached result requested by the caller outlives the tool object, but not a change of its code", async () => {
    const shared = createInMemoryResultCache({});
    const reuse = { ttlMs: 60_000 };
    const revised = (revision: string, input: string): AnyTool =>
      Object.freeze({ ...sampleTool(() => input), revision });
    const callWith = async (tool: AnyTool): Promise<unknown> => {
      const result = await createEngine({ cache: shared }).call(tool, { a: 1 }, { reuse });
      return result.success && result.output;
    };
    expect(await callWith(revised("1", "old"))).toBe("old");
    expect(await callWith(revised("1", "the same code, loaded again"))).toBe("old");
    expect(await callWith(revised("2", "new"))).toBe("new");
    expect(await callWith(sampleTool(() => "another schema", { input: z.object({ a: z.number() }) }))).toBe(
      "another schema",
    );
  });

  test("a call with a longer queue timeout does not share work with a shorter one", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, concurrency: { rateLimits: { http: "1/m" } } });
    const tool = sampleTool(() => "done", { category: "http", cache, timeoutMs: 5_000 });
    await engine.call(tool, { first: true }, forWorkflow("w", "a"));
    const hasty = engine.call(tool, {}, forWorkflow("w", "b", { limitMs: 10_000 }));
    const patient = engine.call(tool, {}, forWorkflow("w", "c"));
    await clock.pass(10_000);
    expect(await hasty).toMatchObject({ error: { code: "queue_timeout" } });
    await clock.pass(50_000);
    expect(await patient).toMatchObject({ success: true });
  });

  test("the effect for the given arguments decides: results of writes are never reused", async () => {
    const { engine, seen, tool } = counting(
      {},
      { effect: ({ method }) => (method === "GET" ? "read" : "once"), destructive: false },
    );
    for (const method of ["GET", "POST"]) {
      await engine.call(tool, { method });
      await engine.call(tool, { method });
    }
    expect(seen.runs).toBe(3);
  });

  test("a call served from the cache has a record and one event, and takes no slot", async () => {
    const { engine, tool } = counting();
    await engine.call(tool, {});
    const events: string[] = [];
    engine.subscribe(({ type }) => events.push(type));
    const before = engine.metrics().totalAcquired;
    await engine.call(tool, {});
    expect(events).toEqual(["execution_completed"]);
    expect(engine.metrics().totalAcquired).toBe(before);
    expect((await engine.queryRecords({})).records).toMatchObject([{ cached: true, attempts: 0 }, { cached: false }]);
  });

  test("permission rules apply before the cache", async () => {
    const shared = createInMemoryResultCache({});
    const { tool, engine } = counting({ cache: shared });
    await engine.call(tool, {});
    const strict = createEngine({ cache: shared, permissions: { deny: ["work"] } });
    expect(await strict.call(tool, {})).toMatchObject({ error: { code: "permission_denied" } });
  });

  test("a cache that cannot store a result affects nothing else", async () => {
    const unhandled = unhandledRejections();
    const messages: string[] = [];
    const broken = {
      get: () => undefined,
      set: () => {
        throw new Error("disk full");
      },
      clear: () => {},
    };
    const { engine, tool } = counting({ cache: broken, onLog: ({ message }) => messages.push(message) });
    expect(await engine.call(tool, {})).toMatchObject({ success: true });
    await settle();
    expect(unhandled.stop()).toEqual([]);
    expect(messages).toEqual(["the result was not cached: disk full"]);
  });
});

describe("equal calls under way", () => {
  test("run once, and each caller gets its own objects", async () => {
    const engine = createEngine();
    const { gate, seen, tool } = gated();
    const calls = [1, 2, 3].map(() => engine.call(tool, { q: 1 }));
    gate.resolve({ list: [1] });
    const results = await Promise.all(calls);
    expect(seen.runs).toBe(1);
    expect(results.map(({ meta }) => meta.cached)).toEqual([undefined, true, true]);
    expect(new Set(results.map((result) => (result.success ? result.output : 0))).size).toBe(3);
    expect(new Set(results.map(({ meta }) => meta.callId)).size).toBe(3);
    expect((await engine.queryRecords({})).records.length).toBe(3);
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 0, totalAcquired: 1, totalReleased: 1 });
  });

  test("share attachments as copies", async () => {
    const engine = createEngine();
    const { gate, tool } = gated();
    const calls = [1, 2].map(() => engine.call(tool, {}));
    gate.resolve(ok(1, { attachments: [{ kind: "file", mimeType: "text/plain", data: new Uint8Array([1]) }] }));
    const [first, second] = await Promise.all(calls);
    const bytes = (result: ToolResult | undefined) => (result?.success ? result.attachments?.[0]?.data : undefined);
    bytes(first)?.fill(9);
    expect(bytes(second)).toEqual(new Uint8Array([1]));
  });

  test("share a failure too, and the next call starts anew", async () => {
    const engine = createEngine();
    const { gate, seen, tool } = gated();
    const calls = [1, 2].map(() => engine.call(tool, {}, { maxRetries: 0 }));
    gate.reject(new Error("down"));
    for (const result of await Promise.all(calls)) expect(result).toMatchObject({ error: { message: "down" } });
    await engine.call(tool, {}, { maxRetries: 0 });
    expect(seen.runs).toBe(2);
  });

  test("the first caller to leave does not stop the work for the others", async () => {
    const engine = createEngine();
    const { gate, seen, tool } = gated();
    const first = new AbortController();
    const progress: unknown[] = [];
    const calls = [
      engine.call(tool, {}, { signal: first.signal, onProgress: (value) => progress.push(value) }),
      engine.call(tool, {}),
    ];
    first.abort();
    expect(await calls[0]).toMatchObject({ error: { code: "cancelled" } });
    expect(seen.aborted).toBe(0);
    gate.resolve("done");
    expect(await calls[1]).toMatchObject({ success: true, output: "done", meta: { cached: true } });
  });

  test("the last caller to leave stops the work", async () => {
    const engine = createEngine();
    const { seen, tool } = gated();
    const stops = [new AbortController(), new AbortController()];
    const calls = stops.map(({ signal }) => engine.call(tool, {}, { signal }));
    stops[1]?.abort();
    await settle();
    expect(seen.aborted).toBe(0);
    stops[0]?.abort();
    for (const result of await Promise.all(calls)) expect(result).toMatchObject({ error: { code: "cancelled" } });
    await settle();
    expect(seen.aborted).toBe(1);
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 0 });
  });

  test("a call that arrives while the work is being stopped starts anew", async () => {
    const engine = createEngine({ limits: { graceMs: 20 } });
    let runs = 0;
    const tool = sampleTool(() => (++runs === 1 ? new Promise(() => {}) : "fresh"), { cache });
    const stop = new AbortController();
    const first = engine.call(tool, {}, { signal: stop.signal });
    stop.abort();
    expect(await first).toMatchObject({ error: { code: "cancelled" } });
    expect(await engine.call(tool, {})).toMatchObject({ success: true, output: "fresh" });
  });

  test("after a call has left, its caller receives no more progress", async () => {
    const engine = createEngine();
    const gate = Promise.withResolvers<void>();
    const tool = sampleTool(
      async (_args, ctx) => {
        await gate.promise;
        ctx.progress("late");
        return 1;
      },
      { cache },
    );
    const heard: unknown[] = [];
    const stop = new AbortController();
    const first = engine.call(tool, {}, { signal: stop.signal, onProgress: (value) => heard.push(value) });
    const second = engine.call(tool, {});
    stop.abort();
    await first;
    gate.resolve();
    await second;
    expect(heard).toEqual([]);
  });

  test("a call that left the queue is not reported as started when its work continues for others", async () => {
    const engine = createEngine({ concurrency: { maxConcurrent: 1 } });
    const blocker = gated({ name: "blocker" });
    const running = engine.call(blocker.tool, {});
    const { gate, tool } = gated();
    const stop = new AbortController();
    const events: string[] = [];
    engine.subscribe((event) => "callId" in event && events.push(`${event.callId} ${event.type}`));
    const first = engine.call(tool, {}, { signal: stop.signal });
    const second = engine.call(tool, {});
    await settle();
    stop.abort();
    const left = await first;
    blocker.gate.resolve(1);
    await running;
    gate.resolve(2);
    await second;
    expect(events.filter((event) => event.startsWith(`${left.meta.callId} `))).toEqual([
      `${left.meta.callId} execution_failed`,
    ]);
  });

  test("calls with other limits do not share work: none fails by the deadline or retry limit of another", async () => {
    const engine = createEngine();
    const { gate, seen, tool } = gated();
    const contexts: CallContext[] = [{}, { timeoutMs: 5000 }, { maxRetries: 0 }, { principal: "ann" }];
    const calls = contexts.map((context) => engine.call(tool, {}, context));
    expect(seen.runs).toBe(4);
    gate.resolve(1);
    await Promise.all(calls);
  });

  test("a composite is not joined: it might be waiting for itself", async () => {
    const engine = createEngine();
    let runs = 0;
    const self: AnyTool = sampleTool(
      async ({ depth }, { callTool }) => {
        runs++;
        if (depth === 2) return "bottom";
        const result = await callTool(self, { depth: 2 });
        return result.success ? result.output : result.error.code;
      },
      { cache, composite: true },
    );
    expect(await engine.call(self, { depth: 1 })).toMatchObject({ output: "bottom" });
    expect(runs).toBe(2);
  });

  test("a composite with a cache can call other tools before its first await", async () => {
    const engine = createEngine();
    const child = sampleTool(() => "from the child", { name: "child" });
    const parent = sampleTool((_args, { callTool }) => callTool(child, {}).then((result) => result.success), {
      cache,
      composite: true,
    });
    expect(await engine.call(parent, {})).toMatchObject({ success: true, output: true });
  });

  test("a nested call does not wait for the work of a root that waits for a slot held by its own root", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, concurrency: { maxConcurrent: 1 } });
    const { tool } = counting();
    const gate = Promise.withResolvers<void>();
    const parent = sampleTool(
      async (_args, { callTool }) => {
        await gate.promise;
        return (await callTool(tool, {})).success;
      },
      { composite: true, name: "parent" },
    );
    const outer = engine.call(parent, {});
    const queued = engine.call(tool, {});
    gate.resolve();
    await clock.pass(10);
    expect(await outer).toMatchObject({ output: true });
    expect(await queued).toMatchObject({ success: true });
  });

  test("[B12] a chain step does not wait for the work of a root in the global queue", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, concurrency: { maxConcurrent: 1 } });
    const { tool } = counting();
    const gate = Promise.withResolvers<void>();
    // A chain is a tool: it holds the only slot while its steps run.
    const chain = sampleTool(async () => {
      await gate.promise;
      return (await engine.call(tool, {}, forWorkflow("w", "step"))).success;
    });
    const outer = engine.call(chain, {});
    const queued = engine.call(tool, {}, { maxRetries: 0 });
    gate.resolve();
    await clock.pass(10);
    expect(await outer).toMatchObject({ output: true });
    await queued;
  });

  test("retries count once for all callers, and a caller that leaves during a delay has no negative waiting time", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, random: () => 0 });
    let runs = 0;
    const tool = sampleTool(
      () => {
        if (++runs === 1) throw new Error("flaky");
        return runs;
      },
      { cache },
    );
    const first = engine.call(tool, {});
    await clock.pass(30);
    const stop = new AbortController();
    const second = engine.call(tool, {}, { signal: stop.signal });
    await clock.pass(20);
    stop.abort();
    expect(await second).toMatchObject({ error: { code: "cancelled" }, durationMs: 20 });
    expect((await second).meta).not.toHaveProperty("cached");
    await clock.pass(1000);
    expect(await first).toMatchObject({ output: 2, meta: { attempts: 2 }, durationMs: 100 });
  });
});

import { describe, expect, test } from "vitest";
import { FakeClock, settle } from "../../test/support/fake-clock.ts";
import { type SampleHandler, sampleTool } from "../../test/support/sample-tool.ts";
import type { AnyTool, ToolResult } from "../tool/index.ts";
import { createEngine } from "./engine.ts";
import type { EngineEvent } from "./events.ts";

const composite = (run: SampleHandler, more: Parameters<typeof sampleTool>[1] = {}): AnyTool =>
  sampleTool(run, { name: "parent", composite: true, ...more });

const codeOf = (result: ToolResult): string => (result.success ? "ok" : result.error.code);

/** Returns a tool that runs until its signal is aborted. */
function waiting(name = "child") {
  const seen = { runs: 0, aborted: 0 };
  const tool = sampleTool(
    (_args, { signal }) => {
      seen.runs++;
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          seen.aborted++;
          reject(signal.reason as Error);
        });
      });
    },
    { name, effect: "once", timeoutMs: 60_000 },
  );
  return { seen, tool };
}

describe("calls within a call", () => {
  test("have their own records that name the parent, and inherit its conversation and principal", async () => {
    const child = sampleTool(({ n }) => n, { name: "child" });
    const engine = createEngine({ tools: [child] });
    const parent = composite(async (_args, { callTool }) => {
      const byTool = await callTool(child, { n: 1 });
      const byName = await callTool("child", { n: 2 });
      return [byTool, byName].map((result) => (result.success ? result.output : result.error.code));
    });
    const context = { conversationId: "c1", principal: "ann", callerId: "me" };
    const result = await engine.call(parent, {}, context);
    expect(result).toMatchObject({ output: [1, 2] });
    const { records } = await engine.queryRecords({});
    const shared = { conversationId: "c1", principal: "ann", callerId: "me", callerType: "direct" };
    expect(records.find(({ tool }) => tool === "parent")).toMatchObject({ id: result.meta.callId, ...shared });
    const children = records.filter(({ tool }) => tool === "child");
    expect(children.length).toBe(2);
    for (const record of children) expect(record).toMatchObject({ parentId: result.meta.callId, ...shared });
  });

  test("have their own events that name the parent", async () => {
    const engine = createEngine();
    const events: EngineEvent[] = [];
    engine.subscribe((event) => events.push(event));
    const child = sampleTool(() => 1, { name: "child" });
    const result = await engine.call(
      composite((_args, { callTool }) => callTool(child, {}).then(codeOf)),
      {},
    );
    const reported = events.map((event) => "callId" in event && [event.tool, event.type, event.parentId]);
    expect(reported).toEqual([
      ["parent", "execution_started", undefined],
      ["child", "execution_started", result.meta.callId],
      ["child", "execution_completed", result.meta.callId],
      ["parent", "execution_completed", undefined],
    ]);
  });

  test("fail as values, and the parent decides how to continue", async () => {
    const child = sampleTool(() => {
      throw new Error("child failed");
    });
    const parent = composite(async (_args, { callTool }) => codeOf(await callTool(child, {})));
    expect(await createEngine().call(parent, {})).toMatchObject({ success: true, output: "execution_error" });
  });

  test("are only available to composites: another handler gets an explanation", async () => {
    const plain = sampleTool((_args, { callTool }) => callTool("x", {}));
    expect(await createEngine().call(plain, {})).toMatchObject({
      error: {
        code: "execution_error",
        message: "only a tool defined with composite: true has ctx.callTool",
        retry: "never",
      },
    });
  });

  test("do not inherit the caller's progress listener, signal and idempotency key", async () => {
    const progress: unknown[] = [];
    const keys: string[] = [];
    const child = sampleTool((_args, ctx) => {
      ctx.progress("from the child");
      keys.push(ctx.idempotencyKey);
    });
    const parent = composite(async (_args, ctx) => {
      ctx.progress("from the parent");
      keys.push(ctx.idempotencyKey);
      await ctx.callTool(child, {});
    });
    const context = { idempotencyKey: "root", onProgress: (value: unknown) => progress.push(value) };
    await createEngine().call(parent, {}, context);
    expect(progress).toEqual(["from the parent"]);
    expect(keys[0]).toBe("root");
    expect(keys[1]).not.toBe("root");
  });

  test("share the variables that the caller passed", async () => {
    const child = sampleTool((_args, { variables }) => {
      variables["count"] = (variables["count"] as number) + 1;
    });
    const parent = composite((_args, { callTool }) => callTool(child, {}).then(codeOf));
    const variables: Record<string, unknown> = { count: 1 };
    await createEngine().call(parent, {}, { variables });
    expect(variables["count"]).toBe(2);
  });

  test("go only so deep", async () => {
    const engine = createEngine({ limits: { maxDepth: 3 } });
    let maxDepth = 0;
    const self: AnyTool = composite(async ({ depth }, { callTool }) => {
      maxDepth = Math.max(maxDepth, depth as number);
      const result = await callTool(self, { depth: (depth as number) + 1 });
      return result.success ? result.output : result.error;
    });
    expect(await engine.call(self, { depth: 0 })).toMatchObject({
      output: {
        code: "rejected",
        reason: "nesting_too_deep",
        message: "parent was called more than 3 calls deep",
        retry: "never",
      },
    });
    expect(maxDepth).toBe(3);
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 0 });
  });

  test("run under the single global slot of their root, regardless of their number", async () => {
    const engine = createEngine({ concurrency: { maxConcurrent: 1, queueSize: 0 } });
    const child = sampleTool(async () => settle(), { name: "child" });
    const parent = composite(async (_args, { callTool }) => {
      const results = await Promise.all(Array.from({ length: 50 }, () => callTool(child, {})));
      return results.filter(({ success }) => success).length;
    });
    expect(await engine.call(parent, {})).toMatchObject({ output: 50 });
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 0, totalAcquired: 51, totalReleased: 51 });
  });
});

describe("nothing that a composite started outlives it", () => {
  test("children that it did not await are aborted when it returns", async () => {
    const { seen, tool } = waiting();
    const engine = createEngine();
    const parent = composite((_args, { callTool }) => {
      void callTool(tool, {});
      return "returned";
    });
    expect(await engine.call(parent, {})).toMatchObject({ output: "returned" });
    await settle();
    expect(seen).toEqual({ runs: 1, aborted: 1 });
    const { records } = await engine.queryRecords({ tool: "child" });
    expect(records).toMatchObject([{ error: { code: "cancelled", retry: "unsafe" } }]);
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 0 });
    expect(engine.bucketMetrics()["general"]?.current).toBe(0);
  });

  test("children are aborted when it throws", async () => {
    const { seen, tool } = waiting();
    const parent = composite((_args, { callTool }) => {
      void callTool(tool, {});
      throw new Error("gave up");
    });
    await createEngine().call(parent, {}, { maxRetries: 0 });
    await settle();
    expect(seen.aborted).toBe(1);
  });

  test("children are aborted when its caller cancels", async () => {
    const { seen, tool } = waiting();
    const stop = new AbortController();
    const parent = composite((_args, { callTool }) => callTool(tool, {}).then(codeOf));
    const pending = createEngine().call(parent, {}, { signal: stop.signal });
    stop.abort();
    expect(codeOf(await pending)).toBe("cancelled");
    expect(seen.aborted).toBe(1);
  });

  test("children are aborted when its deadline passes, and it starts no others in its grace period", async () => {
    const clock = new FakeClock();
    const { seen, tool } = waiting();
    const engine = createEngine({ clock });
    let harm = 0;
    const charge = sampleTool(() => ++harm, { name: "charge", effect: "once" });
    const codes: string[] = [];
    const parent = composite(async (_args, { callTool }) => {
      codes.push(codeOf(await callTool(tool, {})));
      codes.push(codeOf(await callTool(charge, {})));
    });
    const pending = engine.call(parent, {}, { timeoutMs: 100 });
    await clock.pass(100);
    expect(codeOf(await pending)).toBe("timeout");
    expect(codes).toEqual(["cancelled", "cancelled"]);
    expect(seen.aborted).toBe(1);
    expect(harm).toBe(0);
  });

  test("calls that it makes after its end do not run", async () => {
    let harm = 0;
    const charge = sampleTool(() => ++harm, { name: "charge" });
    const late = Promise.withResolvers<string>();
    const parent = composite((_args, { callTool }) => {
      setImmediate(() => void callTool(charge, {}).then((result) => late.resolve(codeOf(result))));
      return 1;
    });
    await createEngine().call(parent, {});
    expect(await late.promise).toBe("cancelled");
    expect(harm).toBe(0);
  });

  test("work left over from a failed attempt starts no calls during the retry delay", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock });
    let harm = 0;
    const charge = sampleTool(() => ++harm, { name: "charge" });
    let stray: Promise<ToolResult> | undefined;
    const parent = composite((_args, { callTool, attempt }) => {
      if (attempt > 1) return "fine";
      setImmediate(() => {
        stray = callTool(charge, {});
      });
      throw new Error("flaky");
    });
    const pending = engine.call(parent, {});
    await settle();
    expect(codeOf(await stray!)).toBe("cancelled");
    await clock.pass(1000);
    expect(await pending).toMatchObject({ output: "fine" });
    expect(harm).toBe(0);
  });

  test("the signal of a child that has finished stays as it was", async () => {
    let signal: AbortSignal | undefined;
    const child = sampleTool((_args, ctx) => {
      signal = ctx.signal;
      return 1;
    });
    // The child is done; the parent returns before it could have noticed.
    const parent = composite((_args, { callTool }) => {
      void callTool(child, {});
      return 1;
    });
    await createEngine().call(parent, {});
    await settle();
    expect(signal?.aborted).toBe(false);
  });

  test("an abort reaches all nested levels", async () => {
    const { seen, tool } = waiting();
    const stop = new AbortController();
    const inner = composite((_args, { callTool }) => callTool(tool, {}).then(codeOf), { name: "inner" });
    const outer = composite((_args, { callTool }) => callTool(inner, {}).then(codeOf));
    const engine = createEngine();
    const pending = engine.call(outer, {}, { signal: stop.signal });
    await settle();
    stop.abort();
    expect(codeOf(await pending)).toBe("cancelled");
    expect(seen).toEqual({ runs: 1, aborted: 1 });
    expect((await engine.queryRecords({ code: "cancelled" })).records.length).toBe(3);
  });
});

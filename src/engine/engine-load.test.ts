import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import type { AnyTool, ToolResult } from "../tool/index.ts";
import type { ConcurrencyOptions } from "./concurrency.ts";
import { type Engine, createEngine } from "./engine.ts";
import type { EngineEvent } from "./events.ts";

/** Behavior of one call: it works for a while, or calls others, sequentially or concurrently. */
interface Plan {
  readonly category: "a" | "b" | "c";
  readonly workMs: number;
  readonly ending: "returns" | "throws" | "hangs" | "unresponsive";
  readonly children: readonly Plan[];
  readonly together: boolean;
}

interface RootPlan extends Plan {
  readonly caller: "direct" | "workflow_node" | "conversation_agent";
  readonly priority: number;
  readonly timeoutMs: number;
  readonly cancelAfterMs: number | undefined;
  readonly startAfterMs: number;
}

const leaf: fc.Arbitrary<Plan> = fc.record({
  category: fc.constantFrom("a", "b", "c"),
  workMs: fc.nat(20),
  ending: fc.oneof(
    { weight: 8, arbitrary: fc.constant("returns" as const) },
    { weight: 2, arbitrary: fc.constantFrom("throws" as const, "hangs" as const, "unresponsive" as const) },
  ),
  children: fc.constant([]),
  together: fc.boolean(),
});

const nesting = (inner: fc.Arbitrary<Plan>): fc.Arbitrary<Plan> =>
  fc.record({
    category: fc.constantFrom("a", "b", "c"),
    workMs: fc.nat(5),
    ending: fc.constant("returns"),
    children: fc.array(inner, { minLength: 1, maxLength: 3 }),
    together: fc.boolean(),
  });

const plan = fc.oneof(leaf, nesting(leaf), nesting(fc.oneof(leaf, nesting(fc.oneof(leaf, nesting(leaf))))));

const root: fc.Arbitrary<RootPlan> = fc
  .tuple(
    plan,
    fc.record({
      caller: fc.constantFrom("direct", "workflow_node", "conversation_agent"),
      priority: fc.integer({ min: 0, max: 2 }),
      timeoutMs: fc.constantFrom(15, 60, 1000),
      cancelAfterMs: fc.option(fc.nat(60), { nil: undefined, freq: 4 }),
      startAfterMs: fc.nat(30),
    }),
  )
  .map(([work, more]) => ({ ...work, ...more }));

const options = fc.record({
  maxConcurrent: fc.integer({ min: 1, max: 3 }),
  queueSize: fc.constantFrom(1, 100),
  queueTimeoutMs: fc.constantFrom(30, 500),
  strategy: fc.constantFrom("fifo" as const, "priority" as const, "reject" as const),
  bucketLimits: fc.constantFrom({ a: 1, b: 1, c: 1 }, { a: 1 }, { a: 1, b: 2 }),
  rateLimits: fc.constantFrom({}, { b: "2/15ms" }, { a: "1/4ms", c: "3/20ms" }),
});

/** Runs plans on its own engine, and checks the limits from inside the handlers. */
class Load {
  readonly clock = new FakeClock();
  readonly running = { roots: 0, byCategory: new Map<string, number>() };
  readonly broken: string[] = [];
  readonly engine: Engine;
  readonly limits: ConcurrencyOptions;
  readonly tools = new Map<string, AnyTool>();

  constructor(concurrency: ConcurrencyOptions) {
    this.limits = concurrency;
    this.engine = createEngine({ clock: this.clock, concurrency, limits: { graceMs: 20 }, random: () => 0 });
  }

  tool(category: string, composite: boolean): AnyTool {
    const name = `${composite ? "composite" : "tool"}_${category}`;
    let tool = this.tools.get(name);
    if (tool === undefined) {
      tool = sampleTool(async (args, ctx) => this.#work(args["plan"] as Plan, ctx, composite), {
        name,
        category,
        composite,
      });
      this.tools.set(name, tool);
    }
    return tool;
  }

  async #work(work: Plan, ctx: Parameters<Parameters<typeof sampleTool>[0]>[1], composite: boolean): Promise<unknown> {
    if (!composite) this.#count(work.category, 1);
    const { signal } = ctx;
    try {
      await this.#pause(work.workMs, work.ending === "unresponsive" ? undefined : signal);
      if (work.ending === "throws") throw new TypeError("planned");
      if (work.ending === "hangs") await this.#pause(10_000, signal);
      if (work.ending === "unresponsive") await new Promise(() => {});
      const call = (child: Plan): Promise<ToolResult> =>
        ctx.callTool(this.tool(child.category, child.children.length > 0), { plan: child });
      if (work.together) return (await Promise.all(work.children.map(call))).length;
      for (const child of work.children) await call(child);
      return work.children.length;
    } finally {
      if (!composite) this.#count(work.category, -1);
    }
  }

  #count(category: string, change: number): void {
    const now = (this.running.byCategory.get(category) ?? 0) + change;
    this.running.byCategory.set(category, now);
    const limit = this.limits.bucketLimits?.[category] ?? Infinity;
    if (now > limit) this.broken.push(`${now} of ${category} at once`);
  }

  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.after(ms, resolve);
      signal?.addEventListener("abort", () => {
        timer.cancel();
        reject(signal.reason as Error);
      });
    });
  }

  start(work: RootPlan): Promise<ToolResult> {
    return new Promise((resolve) => {
      this.clock.after(work.startAfterMs, () => {
        const stop = new AbortController();
        if (work.cancelAfterMs !== undefined) this.clock.after(work.cancelAfterMs, () => stop.abort());
        const { caller, priority, timeoutMs } = work;
        const context = { callerType: caller, priority, timeoutMs, signal: stop.signal };
        resolve(this.engine.call(this.tool(work.category, work.children.length > 0), { plan: work }, context));
      });
    });
  }
}

test("[B11] composites four deep under the tightest limits: no deadlock, no limit exceeded, every call ends once", async () => {
  await fc.assert(
    fc.asyncProperty(options, fc.array(root, { minLength: 1, maxLength: 8 }), async (concurrency, plans) => {
      const load = new Load(concurrency);
      const ends = new Map<string, number>();
      load.engine.subscribe((event: EngineEvent) => {
        if (event.type === "execution_completed" || event.type === "execution_failed") {
          ends.set(event.callId, (ends.get(event.callId) ?? 0) + 1);
        }
        // An abandoned handler may still count itself; the engine's own metrics never exceed a limit.
        const { currentConcurrent, queueLength } = load.engine.metrics();
        if (currentConcurrent > concurrency.maxConcurrent) load.broken.push(`${currentConcurrent} roots at once`);
        if (queueLength > concurrency.queueSize) load.broken.push(`${queueLength} in the queue`);
      });
      const closed = JSON.stringify(plans).includes('"unresponsive"');
      const calls = plans.map((each) => load.start(each));
      let done = 0;
      for (const call of calls) void call.then(() => done++);
      for (let passed = 0; passed < 6000 && done < calls.length; passed += 50) await load.clock.pass(50);
      expect(done).toBe(calls.length);
      await load.clock.pass(100);
      expect(load.engine.metrics()).toMatchObject({ currentConcurrent: 0, queueLength: 0 });
      const { totalAcquired, totalReleased } = load.engine.metrics();
      expect(totalAcquired).toBe(totalReleased);
      for (const bucket of Object.values(load.engine.bucketMetrics())) {
        expect(bucket).toMatchObject({ current: 0, queue: 0 });
      }
      expect(load.broken.filter((text) => !closed || !text.includes("of"))).toEqual([]);
      expect([...ends.values()].every((count) => count === 1)).toBe(true);
      expect((await load.engine.queryRecords({ limit: 1000 })).records.length).toBe(ends.size);
      expect(load.clock.holding).toBe(0);
    }),
    { seed: 4242, numRuns: 1000 },
  );
}, 30_000);

test("[B11] nested three deep with one global slot and one slot per bucket, on the real clock: every call finishes", async () => {
  const engine = createEngine({ concurrency: { maxConcurrent: 1, queueSize: 1000, bucketLimits: { a: 1, b: 1 } } });
  const work = sampleTool(
    async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return 1;
    },
    { name: "leaf", category: "a" },
  );
  const wrap = (inner: AnyTool, name: string): AnyTool =>
    sampleTool(
      async (_args, { callTool }) => {
        const results = await Promise.all([callTool(inner, {}), callTool(inner, {}), callTool(work, {})]);
        return results.filter(({ success }) => success).length;
      },
      { name, category: "b", composite: true },
    );
  const top = wrap(wrap(wrap(work, "inner"), "middle"), "outer");
  const results = await Promise.all(Array.from({ length: 20 }, () => engine.call(top, {})));
  expect(results.every((result) => result.success && result.output === 3)).toBe(true);
  expect(engine.metrics()).toMatchObject({ currentConcurrent: 0, queueLength: 0 });
});

test("[B11] ten thousand calls through a limit of ten: each runs once, in order, and the limit holds", async () => {
  const engine = createEngine({ concurrency: { maxConcurrent: 10, queueSize: 10_000 } });
  let running = 0;
  let max = 0;
  const order: unknown[] = [];
  const tool = sampleTool(async ({ n }) => {
    order.push(n);
    max = Math.max(max, ++running);
    await Promise.resolve();
    running--;
    return n;
  });
  const results = await Promise.all(Array.from({ length: 10_000 }, (_, n) => engine.call(tool, { n })));
  expect(results.every((result, n) => result.success && result.output === n)).toBe(true);
  expect(order).toEqual(Array.from({ length: 10_000 }, (_, n) => n));
  expect(max).toBe(10);
});

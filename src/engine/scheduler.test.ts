import { describe, expect, test } from "vitest";
import { withTime } from "../../test/support/chain-runner.ts";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { Deadlines } from "../base/index.ts";
import { toWireResult } from "../tool/index.ts";
import type { ConcurrencyOptions } from "./concurrency.ts";
import { createEngine } from "./engine.ts";
import { forWorkflow } from "./call-context.ts";
import { Scheduler } from "./scheduler.ts";
import type { AdmissionRequest, Ticket } from "./admission-ticket.ts";

/** Returns a scheduler whose calls log their progress in `log`, and hold their slot until the test releases them. */
function started(options: ConcurrencyOptions = {}) {
  const clock = new FakeClock();
  const scheduler = new Scheduler(options, clock, new Deadlines(clock));
  const log: string[] = [];
  const enter = (name: string, effect: Partial<AdmissionRequest> = {}): Ticket => {
    const owner: AdmissionRequest = {
      category: "a",
      priority: 0,
      global: true,
      slot: true,
      admitted: () => log.push(`${name} admitted`),
      refused: (_ticket, why) => log.push(`${name} ${why}`),
      ...effect,
    };
    const ticket = scheduler.enter(owner);
    log.push(`${name} ${ticket.state === "done" ? "rejected" : ticket.state}`);
    return ticket;
  };
  const take = (): string[] => log.splice(0);
  return { clock, scheduler, enter, take };
}

describe("[B11] the global limit and its queue", () => {
  test("calls beyond the limit wait in order", () => {
    const { scheduler, enter, take } = started({ maxConcurrent: 1 });
    const first = enter("first");
    const second = enter("second");
    enter("third");
    expect(take()).toEqual(["first held", "second queued", "third queued"]);
    scheduler.endTicket(first);
    expect(take()).toEqual(["second admitted"]);
    scheduler.endTicket(second);
    expect(take()).toEqual(["third admitted"]);
  });

  test("the queue takes exactly its maximum size", () => {
    const { enter, take } = started({ maxConcurrent: 1, queueSize: 2 });
    for (const name of ["a", "b", "c", "d"]) enter(name);
    expect(take()).toEqual(["a held", "b queued", "c queued", "d rejected"]);
  });

  test("under reject no call waits", () => {
    const { scheduler, enter, take } = started({ maxConcurrent: 1, strategy: "reject" });
    const first = enter("first");
    enter("second");
    scheduler.endTicket(first);
    enter("third");
    expect(take()).toEqual(["first held", "second rejected", "third held"]);
    expect(scheduler.metrics()).toMatchObject({ totalRejected: 1, queueLength: 0 });
  });

  test("under priority the higher priority runs first, and equal priorities run in order", () => {
    const { scheduler, enter, take } = started({ maxConcurrent: 1, strategy: "priority" });
    let running = enter("running");
    const waiting = [enter("low", { priority: -5 }), enter("one"), enter("high", { priority: 10 }), enter("two")];
    take();
    const order: string[] = [];
    for (let n = 0; n < 4; n++) {
      scheduler.endTicket(running);
      const [line] = take();
      order.push(line!);
      running = waiting.find((ticket) => ticket.state === "held")!;
    }
    expect(order).toEqual(["high admitted", "one admitted", "two admitted", "low admitted"]);
  });

  test("under fifo the priority is ignored", () => {
    const { scheduler, enter, take } = started({ maxConcurrent: 1 });
    const running = enter("running");
    enter("low", { priority: -5 });
    enter("high", { priority: 10 });
    take();
    scheduler.endTicket(running);
    expect(take()).toEqual(["low admitted"]);
  });

  test("a priority that is not a number counts as none", () => {
    const { scheduler, enter, take } = started({ maxConcurrent: 1, strategy: "priority" });
    const running = enter("running");
    const odd = enter("odd", { priority: Number.NaN });
    enter("low", { priority: -1 });
    take();
    scheduler.endTicket(running);
    scheduler.endTicket(odd);
    expect(take()).toEqual(["odd admitted", "low admitted"]);
    expect(scheduler.metrics()).toMatchObject({ currentConcurrent: 1, queueLength: 0 });
  });

  test("a call that waits too long is refused, and is not admitted afterwards", () => {
    const { clock, scheduler, enter, take } = started({ maxConcurrent: 1, queueTimeoutMs: 100 });
    const running = enter("running");
    enter("first");
    clock.advance(60);
    enter("second");
    take();
    clock.advance(40);
    expect(take()).toEqual(["first queue_timeout"]);
    scheduler.endTicket(running);
    expect(take()).toEqual(["second admitted"]);
    clock.advance(1000);
    expect(take()).toEqual([]);
    expect(scheduler.metrics()).toMatchObject({ totalTimeout: 1, queueLength: 0, currentConcurrent: 1 });
  });

  test("a cancelled call leaves the queue immediately, in the middle too", () => {
    const { clock, scheduler, enter, take } = started({ maxConcurrent: 1, queueSize: 2 });
    const running = enter("running");
    const first = enter("first");
    enter("second");
    scheduler.endTicket(first);
    scheduler.endTicket(first);
    enter("third");
    enter("fourth");
    take();
    expect(scheduler.metrics()).toMatchObject({ totalCancelled: 1, queueLength: 2, totalRejected: 1 });
    scheduler.endTicket(running);
    expect(take()).toEqual(["second admitted"]);
    expect(clock.holding).toBe(1);
  });
});

describe("[B11] buckets", () => {
  test("a full bucket does not block another", () => {
    const { scheduler, enter, take } = started({ maxConcurrent: 10, bucketLimits: { http: 1 } });
    const first = enter("first", { category: "http" });
    for (let n = 0; n < 50; n++) enter("more", { category: "http" });
    take();
    enter("short", { category: "file" });
    expect(take()).toEqual(["short held"]);
    expect(scheduler.bucketMetrics()).toMatchObject({
      http: { current: 1, limit: 1, queue: 50, totalAcquired: 1 },
      file: { current: 1, limit: null, queue: 0, totalAcquired: 1 },
    });
    scheduler.endTicket(first);
    expect(take()).toEqual(["more admitted"]);
  });

  test("if the global limit is the bottleneck, the buckets take turns", () => {
    const { scheduler, enter, take } = started({ maxConcurrent: 1 });
    let running = enter("running", { category: "long" });
    const tickets = Array.from({ length: 5 }, (_, n) => enter(`long${n}`, { category: "long" }));
    tickets.push(enter("short0", { category: "short" }), enter("short1", { category: "short" }));
    take();
    const order: string[] = [];
    for (let n = 0; n < 7; n++) {
      scheduler.endTicket(running);
      order.push(take()[0]!.replace(" admitted", ""));
      running = tickets.find((ticket) => ticket.state === "held")!;
    }
    expect(order).toEqual(["short0", "long0", "short1", "long1", "long2", "long3", "long4"]);
  });

  test("a nested call does not wait behind roots of its bucket that wait for a global slot", () => {
    const { scheduler, enter, take } = started({ maxConcurrent: 1, bucketLimits: { http: 1 } });
    const parent = enter("parent", { slot: false });
    enter("root", { category: "http" });
    const nested = enter("nested", { category: "http", global: false });
    expect(take()).toEqual(["parent held", "root queued", "nested held"]);
    scheduler.endTicket(nested);
    expect(take()).toEqual([]);
    scheduler.endTicket(parent);
    expect(take()).toEqual(["root admitted"]);
  });

  test("a root that came first, and could start, is admitted before a chain step of its bucket", () => {
    const { scheduler, enter, take } = started({ maxConcurrent: 2, bucketLimits: { http: 1 } });
    const first = enter("first", { category: "http" });
    const root = enter("root", { category: "http" });
    enter("step", { category: "http", global: false });
    take();
    scheduler.endTicket(first);
    expect(take()).toEqual(["root admitted"]);
    scheduler.endTicket(root);
    expect(take()).toEqual(["step admitted"]);
  });

  test("a chain step does not let a root of its bucket overtake a more urgent root of another", () => {
    const { scheduler, enter, take } = started({ maxConcurrent: 1, bucketLimits: { http: 1 }, strategy: "priority" });
    const first = enter("first", { category: "http" });
    enter("root", { category: "http" });
    enter("step", { category: "http", global: false, priority: -1 });
    enter("urgent", { category: "file", priority: 9 });
    take();
    scheduler.endTicket(first);
    expect(take().toSorted()).toEqual(["step admitted", "urgent admitted"]);
  });

  test("a composite takes a global slot and no bucket slot, regardless of the bucket's name", () => {
    const { scheduler, enter, take } = started({ maxConcurrent: 3, bucketLimits: { http: 1 } });
    enter("one", { category: "http", slot: false });
    enter("two", { category: "http", slot: false });
    enter("tool", { category: "(composite)" });
    enter("three", { category: "http", slot: false });
    expect(take()).toEqual(["one held", "two held", "tool held", "three queued"]);
    expect(Object.keys(scheduler.bucketMetrics()).toSorted()).toEqual(["(composite)", "http"]);
  });

  test("a bucket may have any name", () => {
    const { scheduler, enter, take } = started({ bucketLimits: { constructor: 1 } });
    enter("one", { category: "constructor" });
    enter("two", { category: "constructor" });
    enter("three", { category: "__proto__" });
    expect(take()).toEqual(["one held", "two queued", "three held"]);
    expect(Object.keys(scheduler.bucketMetrics())).toEqual(["constructor", "__proto__"]);
  });
});

describe("rates", () => {
  test("starts beyond the rate wait for the window, without a release", () => {
    const { clock, enter, take } = started({ rateLimits: { http: "2/100ms" } });
    for (const name of ["a", "b", "c", "d", "e"]) enter(name, { category: "http" });
    expect(take()).toEqual(["a held", "b held", "c queued", "d queued", "e queued"]);
    clock.advance(99);
    expect(take()).toEqual([]);
    clock.advance(1);
    expect(take()).toEqual(["c admitted", "d admitted"]);
    clock.advance(100);
    expect(take()).toEqual(["e admitted"]);
    expect(clock.timers).toBe(1);
  });

  test("a root that waits for a global slot is served when a chain step has used up the rate in the meantime", () => {
    const { clock, scheduler, enter, take } = started({ maxConcurrent: 1, rateLimits: { http: "1/s" } });
    const running = enter("running", { category: "file" });
    enter("root", { category: "http" });
    const step = enter("step", { category: "http", global: false });
    scheduler.endTicket(running);
    scheduler.endTicket(step);
    expect(take()).toEqual(["running held", "root queued", "step held"]);
    clock.advance(999);
    expect(take()).toEqual([]);
    clock.advance(1);
    expect(take()).toEqual(["root admitted"]);
  });

  test("a limit and a rate hold together", () => {
    const { clock, scheduler, enter, take } = started({ bucketLimits: { http: 1 }, rateLimits: { http: "2/100ms" } });
    const first = enter("first", { category: "http" });
    const second = enter("second", { category: "http" });
    enter("third", { category: "http" });
    take();
    scheduler.endTicket(first);
    expect(take()).toEqual(["second admitted"]);
    scheduler.endTicket(second);
    expect(take()).toEqual([]);
    clock.advance(100);
    expect(take()).toEqual(["third admitted"]);
  });

  test("a long window does not keep the process alive once no call waits for it", () => {
    const { clock, scheduler, enter } = started({ rateLimits: { http: "1/h" }, queueTimeoutMs: 50 });
    scheduler.endTicket(enter("first", { category: "http" }));
    scheduler.endTicket(enter("gives up", { category: "http" }));
    expect(clock.holding).toBe(0);
    enter("times out", { category: "http" });
    expect(clock.holding).toBe(2);
    clock.advance(50);
    expect(clock.holding).toBe(0);
  });

  test("a new root does not overtake a nested call that waits for the window", () => {
    const { clock, enter, take } = started({ rateLimits: { http: "1/100ms" } });
    enter("first", { category: "http" });
    clock.advance(0.3);
    enter("nested", { category: "http", global: false });
    take();
    // The window is open; the timer, which counts whole milliseconds, is not due yet.
    clock.advance(99.8);
    enter("root", { category: "http" });
    clock.advance(1);
    expect(take()).toEqual(["root queued", "nested admitted"]);
  });
});

describe("[B13] metrics", () => {
  test("count calls and durations, overall and per bucket", () => {
    const { clock, scheduler, enter } = started({ maxConcurrent: 1, bucketLimits: { a: 2 } });
    const first = enter("first");
    const second = enter("second");
    clock.advance(30);
    scheduler.endTicket(first);
    clock.advance(10);
    scheduler.endTicket(second);
    expect(scheduler.metrics()).toEqual({
      currentConcurrent: 0,
      queueLength: 0,
      totalAcquired: 2,
      totalReleased: 2,
      totalRejected: 0,
      totalTimeout: 0,
      totalCancelled: 0,
      totalBypassed: 0,
      averageExecutionMs: 20,
      averageWaitMs: 15,
    });
    expect(scheduler.bucketMetrics()).toEqual({ a: { current: 0, limit: 2, queue: 0, totalAcquired: 2 } });
  });

  test("buckets with a limit are listed before their first call", () => {
    const { scheduler } = started({ bucketLimits: { http: 5 }, rateLimits: { ai: "1/s" } });
    expect(scheduler.bucketMetrics()).toEqual({
      http: { current: 0, limit: 5, queue: 0, totalAcquired: 0 },
      ai: { current: 0, limit: null, queue: 0, totalAcquired: 0 },
    });
    expect(scheduler.metrics()).toMatchObject({ averageExecutionMs: 0, averageWaitMs: 0 });
  });
});

describe("[B12] chain steps in the engine", () => {
  test("bypass the global limit and its queue, are counted separately, and obey bucket limits", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, concurrency: { maxConcurrent: 1, queueSize: 0, bucketLimits: { http: 2 } } });
    const work = sampleTool(() => new Promise<void>((resolve) => void clock.after(10, resolve)), { category: "http" });
    const root = engine.call(work, {});
    const steps = Array.from({ length: 3 }, (_, n) => engine.call(work, {}, forWorkflow("w", `n${n}`)));
    await clock.pass(5);
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 1, queueLength: 0, totalBypassed: 3 });
    expect(engine.bucketMetrics()["http"]).toEqual({ current: 2, limit: 2, queue: 2, totalAcquired: 2 });
    await clock.pass(20);
    for (const result of await Promise.all([root, ...steps])) expect(result.success).toBe(true);
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 0, totalAcquired: 4, totalReleased: 4 });
    const { records } = await engine.queryRecords({});
    expect(records.map(({ queuedMs }) => queuedMs).toSorted((a, b) => a - b)).toEqual([0, 0, 10, 10]);
  });

  test("[F7] durations of results, records, events and statistics do not include the wait for a slot", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, concurrency: { maxConcurrent: 1 } });
    const work = sampleTool(() => new Promise<void>((resolve) => void clock.after(10, resolve)), { name: "work" });
    const ended: unknown[] = [];
    engine.subscribe((event) => {
      if (event.type === "execution_completed") ended.push([event.at - clock.now(), event.durationMs]);
    });
    const results = await withTime(Promise.all([1, 2, 3].map(() => engine.call(work, {}))), clock);
    expect(results.map(({ durationMs, queuedMs }) => [durationMs, queuedMs])).toEqual([
      [10, undefined],
      [10, 10],
      [10, 20],
    ]);
    expect(toWireResult(results[2]!)).toMatchObject({ duration_ms: 10, queued_ms: 20 });
    expect(ended).toEqual([
      [0, 10],
      [0, 10],
      [0, 10],
    ]);
    const { records } = await engine.queryRecords({});
    expect(new Set(records.map(({ durationMs, queuedMs }) => `${durationMs} + ${queuedMs}`))).toEqual(
      new Set(["10 + 0", "10 + 10", "10 + 20"]),
    );
    const { tools } = await engine.callStatistics();
    expect(tools).toMatchObject([{ tool: "work", calls: 3, averageMs: 10, p99Ms: 10 }]);
  });

  test("a chain step waits for a rate limit as long as necessary, and so do its nested calls", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, concurrency: { queueTimeoutMs: 50, rateLimits: { http: "1/s" } } });
    const work = sampleTool(() => "done", { category: "http", timeoutMs: 10 });
    const around = sampleTool((_args, { callTool }) => callTool(work, {}), {
      name: "around",
      composite: true,
      timeoutMs: 60_000,
    });
    const steps = Array.from({ length: 4 }, (_, n) => engine.call(work, {}, forWorkflow("w", `n${n}`)));
    const inside = engine.call(around, {}, forWorkflow("w", "inside"));
    const root = engine.call(work, {});
    await clock.pass(5_000);
    for (const result of await Promise.all(steps)) expect(result.success).toBe(true);
    expect(await inside).toMatchObject({ success: true, output: { success: true, output: "done" } });
    expect(await root).toMatchObject({ success: false, error: { code: "queue_timeout" } });
  });

  test("a chain step with a time limit waits no longer than that, and a cancelled one stops waiting", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, concurrency: { rateLimits: { http: "1/h" } } });
    const work = sampleTool(() => "done", { category: "http" });
    await engine.call(work, {}, forWorkflow("w", "first"));
    const limited = engine.call(work, {}, forWorkflow("w", "second", { limitMs: 40_000 }));
    const controller = new AbortController();
    const stopped = engine.call(work, {}, forWorkflow("w", "third", { signal: controller.signal }));
    await clock.pass(39_999);
    expect(engine.bucketMetrics()["http"]?.queue).toBe(2);
    await clock.pass(1);
    expect(await limited).toMatchObject({
      error: { code: "queue_timeout", message: "work waited 40000 ms for a free slot" },
    });
    controller.abort();
    expect(await stopped).toMatchObject({ error: { code: "cancelled" } });
    expect(clock.timers).toBe(0);
  });
});

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FakeClock, settle } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { forConversation, forWorkflow } from "./call-context.ts";
import { createEngine } from "./engine.ts";
import { type EngineEvent, type EngineEventType, engineEventTypes } from "./events.ts";

const work = sampleTool(() => 1);
const strict = sampleTool(() => 1, { name: "strict", input: z.object({ n: z.number() }) });
const broken = sampleTool(() => {
  throw new TypeError("broken");
});

describe("[B16] events", () => {
  test("there are eleven types, none twice", () => {
    expect(engineEventTypes).toEqual([
      "tool_loaded",
      "tool_added",
      "tool_updated",
      "tool_removed",
      "reload_started",
      "reload_completed",
      "load_error",
      "validation_error",
      "execution_started",
      "execution_completed",
      "execution_failed",
    ]);
    expect(new Set(engineEventTypes).size).toBe(11);
    // Every member of the union is in the list.
    const listed: Record<EngineEventType, true> = Object.fromEntries(
      engineEventTypes.map((type) => [type, true]),
    ) as Record<EngineEventType, true>;
    expect(Object.keys(listed).length).toBe(11);
  });

  test("a call that succeeds tells its start and its end", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock });
    const events: EngineEvent[] = [];
    engine.subscribe((event) => events.push(event));
    const slow = sampleTool(() => new Promise<void>((resolve) => void clock.after(25, resolve)));
    const at = clock.now();
    const pending = engine.call(slow, {}, forConversation("agent", "c1"));
    await clock.pass(25);
    const { meta } = await pending;
    const about = {
      callId: meta.callId,
      tool: "work",
      callerType: "conversation_agent",
      callerId: "agent",
      conversationId: "c1",
      workflowId: undefined,
      parentId: undefined,
    };
    expect(events).toEqual([
      { type: "execution_started", at, ...about },
      { type: "execution_completed", at: at + 25, ...about, durationMs: 25, cached: false },
    ]);
  });

  test("a call that fails after a while says when", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock });
    const events: EngineEvent[] = [];
    engine.subscribe((event) => events.push(event), ["execution_failed"]);
    const at = clock.now();
    const pending = engine.call(
      sampleTool(() => new Promise((_, reject) => void clock.after(40, () => reject(new TypeError("late"))))),
      {},
    );
    await clock.pass(40);
    await pending;
    expect(events).toMatchObject([{ at: at + 40, durationMs: 40, error: { code: "execution_error" } }]);
  });

  test("a call that was refused tells why, and no start", async () => {
    const engine = createEngine();
    const events: EngineEvent[] = [];
    engine.subscribe((event) => events.push(event));
    await engine.call(strict, { n: "x" }, forWorkflow("w1", "n1"));
    expect(events).toMatchObject([
      { type: "validation_error", tool: "strict", workflowId: "w1", issues: [{ path: ["n"] }] },
      { type: "execution_failed", tool: "strict", workflowId: "w1", error: { code: "validation_error" } },
    ]);
  });

  test("events carry neither arguments nor outputs", async () => {
    const engine = createEngine();
    const events: EngineEvent[] = [];
    engine.subscribe((event) => events.push(event));
    await engine.call(
      sampleTool(() => ({ out: "output-value" })),
      { given: "argument-value" },
    );
    expect(JSON.stringify(events)).not.toMatch(/output-value|argument-value/);
  });

  test("every call ends with exactly one event, after everything else it tells", async () => {
    const clock = new FakeClock();
    const engine = createEngine({
      clock,
      random: () => 0,
      concurrency: { maxConcurrent: 2, queueSize: 2, queueTimeoutMs: 50 },
      permissions: { deny: ["denied"], ask: ["asked"] },
    });
    const types = new Map<string, EngineEventType[]>();
    engine.subscribe((event) => {
      if ("callId" in event) types.set(event.callId, [...(types.get(event.callId) ?? []), event.type]);
    });
    const stop = new AbortController();
    const hang = sampleTool(() => new Promise(() => {}), { timeoutMs: 100 });
    const flaky = sampleTool(() => {
      throw new Error("flaky");
    });
    const shared = sampleTool(() => settle(), { cache: { ttlMs: 1000 } });
    const calls = [
      engine.call(work, {}),
      engine.call(broken, {}),
      engine.call(strict, {}),
      engine.call("nobody", {}),
      engine.call(
        sampleTool(() => 1, { name: "denied" }),
        {},
      ),
      engine.call(
        sampleTool(() => 1, { name: "asked" }),
        {},
      ),
      engine.call(
        sampleTool(() => 1n),
        {},
      ),
      engine.call(flaky, {}),
      engine.call(hang, {}, { signal: stop.signal }),
      engine.call(hang, {}),
      engine.call(shared, {}, { signal: stop.signal }),
      engine.call(shared, {}),
      engine.call(work, {}),
      engine.call(work, {}),
    ];
    await clock.pass(20);
    stop.abort();
    await clock.pass(5000);
    const results = await Promise.all(calls);
    expect(types.size).toBe(calls.length);
    const ends = ["execution_completed", "execution_failed"];
    for (const { meta, success } of results) {
      const told = types.get(meta.callId) ?? [];
      expect(told.filter((type) => ends.includes(type))).toEqual([success ? ends[0] : ends[1]]);
      expect(told.at(-1)).toBe(success ? ends[0] : ends[1]);
      expect(told.filter((type) => type === "execution_started").length).toBeLessThan(2);
    }
    expect((await engine.queryRecords({})).records.length).toBe(calls.length);
  });

  test("subscribers get what they asked for until they leave", async () => {
    const engine = createEngine();
    const heard: string[] = [];
    const leave = engine.subscribe(({ type }) => heard.push(type), ["execution_failed"]);
    await engine.call(work, {});
    await engine.call(broken, {});
    leave();
    await engine.call(broken, {});
    expect(heard).toEqual(["execution_failed"]);
  });

  test("a subscriber that throws, rejects or never answers harms nobody, and is reported", async () => {
    const logged: string[] = [];
    const engine = createEngine({ onLog: ({ message }) => logged.push(message) });
    let heard = 0;
    engine.subscribe(() => {
      throw new Error("bad");
    });
    engine.subscribe(() => Promise.reject(new Error("worse")));
    engine.subscribe(() => new Promise(() => {}));
    engine.subscribe(() => heard++);
    expect(await engine.call(work, {})).toMatchObject({ success: true });
    await settle();
    expect(heard).toBe(2);
    expect(logged.toSorted()).toEqual([
      "a subscriber failed on execution_completed: bad",
      "a subscriber failed on execution_completed: worse",
      "a subscriber failed on execution_started: bad",
      "a subscriber failed on execution_started: worse",
    ]);
  });

  test("a subscriber may make calls itself; everyone still hears the events in order", async () => {
    const engine = createEngine();
    const heard: string[] = [];
    let inner: Promise<unknown> | undefined;
    engine.subscribe(({ type }) => {
      if (type === "execution_completed") inner ??= engine.call(work, {}, { conversationId: "inner" });
    });
    engine.subscribe((event) => "callId" in event && heard.push(`${event.conversationId ?? "outer"} ${event.type}`));
    await engine.call(work, {});
    await inner;
    expect(heard).toEqual([
      "outer execution_started",
      "outer execution_completed",
      "inner execution_started",
      "inner execution_completed",
    ]);
  });

  test("the events can be read as a stream; a slow reader misses the oldest and harms nobody", async () => {
    const engine = createEngine();
    const stop = new AbortController();
    const stream = engine.events({ types: ["execution_completed"], capacity: 2, signal: stop.signal });
    for (let n = 0; n < 5; n++) await engine.call(work, {}, { conversationId: `c${n}` });
    stop.abort();
    const seen: (string | undefined)[] = [];
    for await (const event of stream) seen.push("conversationId" in event ? event.conversationId : undefined);
    expect(seen).toEqual(["c3", "c4"]);
    expect(stream.dropped).toBe(3);
  });

  test("sources of tools tell their changes through the same bus", () => {
    const engine = createEngine();
    const heard: EngineEvent[] = [];
    engine.subscribe((event) => heard.push(event), ["tool_added"]);
    engine.emit({ type: "tool_added", at: 1, tool: "t", source: "tools" });
    engine.emit({ type: "reload_started", at: 1, source: "tools" });
    expect(heard).toEqual([{ type: "tool_added", at: 1, tool: "t", source: "tools" }]);
  });
});

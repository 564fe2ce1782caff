import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FakeClock, settle } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { forConversation, forWorkflow } from "./call-context.ts";
import { createEngine } from "./engine.ts";
import { ToolRegistry } from "../tool/index.ts";
import { type EngineEvent, type EngineEventType, type ToolEvent, engineEventTypes } from "./events.ts";

const work = sampleTool(() => 1);
const strict = sampleTool(() => 1, { name: "strict", input: z.object({ n: z.number() }) });
const broken = sampleTool(() => {
  throw new TypeError("broken");
});

describe("[B16] events", () => {
  test("there are eleven distinct types", () => {
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

  test("a call that succeeds emits its start and its end", async () => {
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

  test("a call that fails after a while has the time of its end", async () => {
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

  test("a call that was refused emits the reason, and no start", async () => {
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
      { input: "argument-value" },
    );
    expect(JSON.stringify(events)).not.toMatch(/output-value|argument-value/);
  });

  test("every call ends with exactly one event, after all its other events", async () => {
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
      const reported = types.get(meta.callId) ?? [];
      expect(reported.filter((type) => ends.includes(type))).toEqual([success ? ends[0] : ends[1]]);
      expect(reported.at(-1)).toBe(success ? ends[0] : ends[1]);
      expect(reported.filter((type) => type === "execution_started").length).toBeLessThan(2);
    }
    expect((await engine.queryRecords({})).records.length).toBe(calls.length);
  });

  test("subscribers receive the requested types until they unsubscribe", async () => {
    const engine = createEngine();
    const heard: string[] = [];
    const leave = engine.subscribe(({ type }) => heard.push(type), ["execution_failed"]);
    await engine.call(work, {});
    await engine.call(broken, {});
    leave();
    await engine.call(broken, {});
    expect(heard).toEqual(["execution_failed"]);
  });

  test("a subscriber that throws, rejects or never settles affects no one else, and is reported", async () => {
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

  test("a subscriber may make calls itself; all subscribers still receive the events in order", async () => {
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

  test("the events can be read as a stream; a slow reader misses the oldest and blocks no one", async () => {
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

  test("sources of tools emit their changes through the same bus", () => {
    const engine = createEngine();
    const heard: EngineEvent[] = [];
    engine.subscribe((event) => heard.push(event), ["tool_added"]);
    engine.emit({ type: "tool_added", at: 1, tool: "t", source: "tools" });
    engine.emit({ type: "reload_started", at: 1, source: "tools" });
    expect(heard).toEqual([{ type: "tool_added", at: 1, tool: "t", source: "tools" }]);
  });
});

describe("[F8] tools that are registered in code", () => {
  const observed = (registry = new ToolRegistry()) => {
    const engine = createEngine({ registry });
    const events: string[] = [];
    engine.subscribe((event) => void ("source" in event && "tool" in event && events.push(named(event))));
    return { engine, registry, events };
  };
  const named = ({ type, tool, source }: ToolEvent): string => `${type} ${tool} ${source}`;

  test("emit an event when they are added, replaced and removed, and none if nothing changes", () => {
    const { engine, events } = observed();
    engine.tools.register(work);
    engine.tools.register(work);
    engine.tools.register(sampleTool(() => 2));
    engine.tools.register(work, { source: "other" });
    engine.tools.remove("work");
    engine.tools.remove("work");
    engine.tools.remove("work", { source: "other" });
    expect(events).toEqual([
      "tool_added work tools",
      "tool_updated work tools",
      "tool_added work other",
      "tool_removed work tools",
      "tool_removed work other",
    ]);
  });

  test("emit events when all tools of an owner are replaced, or are created on first use", () => {
    const { engine, events } = observed();
    engine.tools.replace([work, strict], { owner: "mine" });
    engine.tools.replace([sampleTool(() => 2)], { owner: "mine" });
    engine.tools.offer([{ name: "late", aliases: [], make: () => sampleTool(() => 3, { name: "late" }) }]);
    expect(events).toEqual([
      "tool_added work tools",
      "tool_added strict tools",
      "tool_updated work tools",
      "tool_removed strict tools",
      "tool_added late tools",
    ]);
  });

  test("are found by the listener of their event, whose errors change nothing", () => {
    const { engine, events } = observed();
    engine.subscribe((event) => {
      if (event.type !== "tool_added") return;
      expect(engine.tools.get(event.tool)).toBe(work);
      throw new Error("broken listener");
    });
    engine.tools.register(work);
    expect(engine.tools.has("work")).toBe(true);
    expect(events).toHaveLength(1);
  });

  test("emit to all open engines that share a registry", async () => {
    const one = observed();
    const other = observed(one.registry);
    one.registry.register(work);
    await other.engine.close();
    one.registry.register(strict);
    expect(one.events).toEqual(["tool_added work tools", "tool_added strict tools"]);
    expect(other.events).toEqual(["tool_added work tools"]);
  });
});

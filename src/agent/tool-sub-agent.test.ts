import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { calculatorTool, echoTool } from "../builtin/index.ts";
import { createEngine } from "../engine/index.ts";
import { defineTool } from "../tool/index.ts";
import { scriptedModel } from "../testing/index.ts";
import type { AgentEvent } from "./events/agent-event.ts";
import { createAgent } from "./create-agent.ts";
import { ToolSubAgent } from "./tool-sub-agent.ts";

const count = defineTool({
  name: "count",
  description: "Counts its calls in the shared variables",
  effect: "idempotent",
  run: (_args, { variables }) => {
    variables["count"] = Number(variables["count"] ?? 0) + 1;
    return { count: variables["count"] };
  },
});

const tools = [echoTool, calculatorTool, count];

describe("[B09] ToolSubAgent", () => {
  test("executes one tool and records it", async () => {
    const agent = new ToolSubAgent({ agentId: "sub-1", engine: createEngine({ tools }), parentAgentId: "main" });
    const result = await agent.execute("calculator", { expression: "1+2" });
    expect(result).toMatchObject({ success: true, output: { result: 3 } });
    expect(agent.history).toHaveLength(1);
    expect(agent.history[0]).toMatchObject({ tool: "calculator", params: { expression: "1+2" }, result });
  });

  test("executes a batch concurrently and returns results in its order", async () => {
    const agent = new ToolSubAgent({ agentId: "sub-1", engine: createEngine({ tools }) });
    const results = await agent.executeBatch([
      ["echo", { message: "hello" }],
      ["calculator", { expression: "1+" }],
      ["calculator", { expression: "1+2" }],
    ]);
    expect(results.map(({ success }) => success)).toEqual([true, false, true]);
    expect(agent.summary()).toMatchObject({
      agentId: "sub-1",
      totalCalls: 3,
      successfulCalls: 2,
      failedCalls: 1,
      toolUsage: { echo: 1, calculator: 2 },
    });
    expect(agent.summary().successRate).toBeCloseTo(66.67, 1);
    expect(agent.briefSummary()).toMatchObject({
      totalCalls: 3,
      hasErrors: true,
      toolUsage: { echo: 1, calculator: 2 },
    });
  });

  test.each([
    ["the default limits", {}],
    ["a strategy that rejects", { maxConcurrent: 3, strategy: "reject" }],
    ["hardly a queue", { maxConcurrent: 1, queueSize: 1 }],
    ["a slow category", { bucketLimits: { custom: 2 } }],
  ] as const)("[F12] a batch of 200 calls completes with %s", async (_, concurrency) => {
    let [running, peak] = [0, 0];
    const slow = sampleTool(
      async ({ n }) => {
        peak = Math.max(peak, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return n;
      },
      { category: "custom" },
    );
    const engine = createEngine({ tools: [slow], concurrency });
    const agent = new ToolSubAgent({ agentId: "sub-1", engine });
    const results = await agent.executeBatch(Array.from({ length: 200 }, (_each, n) => ["work", { n }]));
    expect(results.map((result) => (result.success ? result.output : result.error.code))).toEqual([...results.keys()]);
    expect(peak).toBe("bucketLimits" in concurrency ? 2 : engine.maxConcurrent);
    expect(engine.metrics()).toMatchObject({ totalRejected: 0, totalTimeout: 0 });
  });

  test("[F12] a cancelled batch ends at once, with a result for each call", async () => {
    const hangs = sampleTool(
      (_args, { signal }) => new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason))),
    );
    const agent = new ToolSubAgent({ agentId: "sub-1", engine: createEngine({ tools: [hangs] }) });
    const stop = new AbortController();
    const batch = agent.executeBatch(
      Array.from({ length: 50 }, () => ["work", {}] as const),
      { signal: stop.signal },
    );
    stop.abort();
    const codes = (await batch).map((result) => (result.success ? "" : result.error.code));
    expect(codes).toEqual(Array.from({ length: 50 }, () => "cancelled"));
  });

  test("passes every result to its callback, and ignores errors of the callback", async () => {
    const reported: unknown[] = [];
    const agent = new ToolSubAgent({
      agentId: "sub-1",
      engine: createEngine({ tools }),
      onResult: (result) => {
        reported.push(result);
        throw new Error("not my problem");
      },
    });
    const result = await agent.execute("echo", { message: "hi" });
    expect(result.success).toBe(true);
    expect(reported).toEqual([result]);
  });

  test("does not wait for its callback", async () => {
    const agent = new ToolSubAgent({
      agentId: "sub-1",
      engine: createEngine({ tools }),
      onResult: () => new Promise(() => {}),
    });
    expect(await agent.execute("echo", { message: "hi" })).toMatchObject({ success: true });
  });

  test("has its own variables, shared by its calls", async () => {
    const engine = createEngine({ tools });
    const [one, two] = ["one", "two"].map((agentId) => new ToolSubAgent({ agentId, engine }));
    await one?.execute("count", {});
    expect(await one?.execute("count", {})).toMatchObject({ success: true, output: { count: 2 } });
    expect(await two?.execute("count", {})).toMatchObject({ success: true, output: { count: 1 } });
  });

  test("its calls belong to a conversation, in the engine's records too", async () => {
    const engine = createEngine({ tools });
    const agent = new ToolSubAgent({ agentId: "sub-1", engine, conversationId: "c-1" });
    await agent.executeBatch([
      ["echo", { message: 1 }],
      ["nothing", {}],
    ]);
    expect(await engine.callSummary("c-1")).toMatchObject({ totalCalls: 2, failedCalls: 1, successRate: 50 });
    expect((await engine.queryRecords({ conversationId: "c-1" })).records[0]).toMatchObject({
      callerType: "conversation_agent",
      callerId: "sub-1",
    });
  });

  test("retains a bounded history and counts everything", async () => {
    const agent = new ToolSubAgent({ agentId: "sub-1", engine: createEngine({ tools }), historySize: 2 });
    for (const message of [1, 2, 3]) await agent.execute("echo", { message });
    expect(agent.history.map(({ params }) => params)).toEqual([{ message: 2 }, { message: 3 }]);
    expect(agent.summary().totalCalls).toBe(3);
  });

  test("within a tool's call belongs to the run that made it: reported, approved, persisted and stopped with it", async () => {
    let removed = 0;
    const remove = defineTool({ name: "remove", description: "x", effect: "once", run: () => ++removed });
    const engine = createEngine({ tools: [...tools, remove] });
    const scout = defineTool({
      name: "scout",
      description: "Looks around",
      composite: true,
      effect: "idempotent",
      run: async (_args, context) => {
        const sub = new ToolSubAgent({ agentId: "sub-1", engine, within: context });
        await sub.execute("echo", { message: "hi" });
        const removing = await sub.execute("remove", {});
        if (!removing.success) throw new Error(removing.error.message);
        return sub.briefSummary();
      },
    });
    engine.tools.register(scout);
    const model = scriptedModel([{ toolCalls: [{ name: "scout", args: {} }] }, "done"]);
    const agent = createAgent({ engine, model, tools: ["scout"] });
    const events: AgentEvent[] = [];
    const { runId, conversationId, approvals } = await agent.run("go", { onEvent: (event) => events.push(event) });
    expect(approvals).toMatchObject([{ tool: "remove" }]);
    expect(events.filter(({ type }) => type === "tool-progress")).toMatchObject([
      { tool: "scout", value: { agentId: "sub-1", tool: "echo", success: true } },
      { tool: "scout", value: { agentId: "sub-1", tool: "remove", success: false } },
    ]);
    await agent.decide(approvals?.[0]?.id ?? "", { approved: true });
    expect(await agent.resume(runId)).toMatchObject({ status: "completed" });
    expect(removed).toBe(1);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('\\"toolUsage\\":{\\"echo\\":1,\\"remove\\":1}');
    const { records } = await engine.queryRecords({ conversationId, tool: "echo" });
    expect(records[0]).toMatchObject({ callerId: "sub-1" });
  });
});

import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { type ToolResult, defineTool } from "../tool/index.ts";
import { type CallContext, forConversation, forWorkflow } from "./call-context.ts";
import { createEngine } from "./engine.ts";
import { engineDefaults } from "./engine-options.ts";
import { concurrencySettings } from "./concurrency.ts";

describe("[B10] the execution context", () => {
  test("the context of a conversation names its agent and conversation, regardless of other fields", () => {
    expect(forConversation("agent-1", "c1")).toEqual({
      callerType: "conversation_agent",
      callerId: "agent-1",
      conversationId: "c1",
    });
    const more = { priority: 5, timeoutMs: 100, callerType: "direct", callerId: "x", conversationId: "x" } as const;
    expect(forConversation("agent-1", "c1", more)).toEqual({
      callerType: "conversation_agent",
      callerId: "agent-1",
      conversationId: "c1",
      priority: 5,
      timeoutMs: 100,
    });
  });

  test("the context of a workflow names its run and node, and leaves retries to the chain", () => {
    expect(forWorkflow("w1", "n1")).toEqual({
      callerType: "workflow_node",
      callerId: "n1",
      workflowId: "w1",
      maxRetries: 0,
    });
    expect(forWorkflow("w1", "n1", { maxRetries: 2, variables: {} })).toMatchObject({ maxRetries: 2, variables: {} });
  });

  test("the fields of a context are in the record", async () => {
    const engine = createEngine();
    const tool = sampleTool(() => 1, { version: "2.1.0", category: "custom" });
    await engine.call(tool, { a: 1 });
    await engine.call(tool, {}, { ...forConversation("agent-1", "c1"), principal: "ann" });
    await engine.call(tool, {}, forWorkflow("w1", "n1"));
    await engine.call(tool, {}, { callerType: "mcp_client", callerId: "desktop" });
    const { records } = await engine.queryRecords({});
    expect(records).toMatchObject([
      { callerType: "mcp_client", callerId: "desktop" },
      { callerType: "workflow_node", callerId: "n1", workflowId: "w1" },
      { callerType: "conversation_agent", callerId: "agent-1", conversationId: "c1", principal: "ann" },
      {
        tool: "work",
        version: "2.1.0",
        source: "tools",
        category: "custom",
        callerType: "direct",
        args: { a: 1 },
        success: true,
        output: 1,
        attempts: 1,
        cached: false,
      },
    ]);
  });

  test("variables are the caller's own object: the next call sees what a handler writes", async () => {
    const variables: Record<string, unknown> = {};
    const engine = createEngine();
    const remember = sampleTool((_args, context) => {
      context.variables["seen"] = 1;
    });
    await engine.call(remember, {}, { variables });
    expect(variables).toEqual({ seen: 1 });
  });

  test("[B18] without a context, and without options, the documented limits hold", () => {
    expect(engineDefaults).toMatchObject({ timeoutMs: 30_000, maxRetries: 3 });
    expect(concurrencySettings({})).toMatchObject({
      maxConcurrent: 10,
      queueSize: 100,
      queueTimeoutMs: 30_000,
      strategy: "fifo",
    });
  });
});

describe("[F2] strictness and timeout are options of a call", () => {
  const nested = { type: "object", properties: { text: { type: "string" } } } as const;
  const input = fromJsonSchema({ type: "object", properties: { text: { type: "string" }, deep: nested } });
  const issuePaths = (result: ToolResult) => (result.success ? [] : result.error.issues?.map(({ path }) => path));
  const echo = defineTool({
    name: "echo",
    description: "Returns its input",
    effect: "read",
    input,
    run: (args) => args,
  });

  test("the undeclared parameters that the context names are refused, others are removed", async () => {
    const engine = createEngine({ tools: [echo] });
    const args = { text: "a", txet: "b", other: 1, deep: { txet: 2 } };
    expect(await engine.call("echo", args, { strictValidation: new Set() })).toMatchObject({
      output: { text: "a", deep: {} },
      meta: { ignored: ["txet", "other", "deep.txet"] },
    });
    const named = await engine.call("echo", args, { strictValidation: new Set(["txet"]) });
    expect(issuePaths(named)).toEqual([["txet"]]);
    const all = await engine.call("echo", args, { strictValidation: true });
    expect(issuePaths(all)).toEqual([["txet"], ["other"], ["deep", "txet"]]);
  });

  test("a call does not relax a strict engine", async () => {
    const engine = createEngine({ tools: [echo], strictValidation: true });
    expect(issuePaths(await engine.call("echo", { a: 1 }, { strictValidation: new Set() }))).toEqual([["a"]]);
  });

  test("nested calls have their own arguments and deadlines", async () => {
    const slow = sampleTool(() => new Promise((done) => setTimeout(() => done("late"), 40)), { name: "slow" });
    const outer = defineTool({
      name: "outer",
      description: "Calls others",
      effect: "read",
      composite: true,
      input: fromJsonSchema({ type: "object", properties: {} }),
      run: async (_args, { callTool }) => [await callTool("echo", { txet: 1 }), await callTool("slow", {})],
    });
    const engine = createEngine({ tools: [echo, slow, outer], limits: { timeoutMs: 10 } });
    const context = { strictValidation: new Set(["txet"]), overrideTimeoutMs: 5_000 };
    expect(await engine.call("outer", {}, context)).toMatchObject({
      output: [{ success: true }, { error: { code: "timeout" } }],
    });
  });

  test("the override replaces the timeout of the tool in both directions, and the limit still holds", async () => {
    const hangs = (timeoutMs: number) =>
      sampleTool(
        (_args, { signal }) => new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason))),
        {
          timeoutMs,
        },
      );
    const engine = createEngine();
    const message = async (timeoutMs: number, context: CallContext) => {
      const result = await engine.call(hangs(timeoutMs), {}, { maxRetries: 0, ...context });
      return result.success ? "" : result.error.message;
    };
    expect(await message(60_000, { overrideTimeoutMs: 21 })).toContain("21 ms");
    expect(await message(1, { overrideTimeoutMs: 22 })).toContain("22 ms");
    expect(await message(1, { overrideTimeoutMs: 60_000, limitMs: 23 })).toContain("23 ms");
  });
});

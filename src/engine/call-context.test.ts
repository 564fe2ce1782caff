import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { forConversation, forWorkflow } from "./call-context.ts";
import { createEngine } from "./engine.ts";
import { engineDefaults } from "./engine-options.ts";
import { concurrencyDefaults } from "./concurrency.ts";

describe("[B10] the execution context", () => {
  test("a conversation's names its agent and conversation, whatever else is passed", () => {
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

  test("a workflow's names its run and node, and leaves retries to the chain", () => {
    expect(forWorkflow("w1", "n1")).toEqual({
      callerType: "workflow_node",
      callerId: "n1",
      workflowId: "w1",
      maxRetries: 0,
    });
    expect(forWorkflow("w1", "n1", { maxRetries: 2, variables: {} })).toMatchObject({ maxRetries: 2, variables: {} });
  });

  test("what it says is in the record", async () => {
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

  test("variables are the caller's own object: what a handler writes is there for the next call", async () => {
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
    expect(concurrencyDefaults).toEqual({
      maxConcurrent: 10,
      queueSize: 100,
      queueTimeoutMs: 30_000,
      strategy: "fifo",
    });
  });
});

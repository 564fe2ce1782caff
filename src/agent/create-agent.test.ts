import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { fail } from "../base/index.ts";
import { runChain } from "../chain/index.ts";
import { createEngine } from "../engine/index.ts";
import { scriptedModel } from "../testing/index.ts";
import { defineTool } from "../tool/index.ts";
import type { AgentEvent } from "./events/agent-event.ts";
import { agentTool } from "./agent-tool.ts";
import { createAgent } from "./create-agent.ts";

const add = defineTool({
  name: "add",
  description: "Adds two numbers",
  effect: "pure",
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => ({ sum: a + b }),
});

describe("[E03] the loop", () => {
  test("runs the tools that the model calls, and returns its answer", async () => {
    const model = scriptedModel([
      { toolCalls: [{ name: "add", args: { a: 1, b: 2 }, id: "c1" }] },
      { text: "It is 3." },
    ]);
    const events: AgentEvent[] = [];
    const agent = createAgent({ engine: createEngine({ tools: [add] }), model });
    const result = await agent.run("What is 1 + 2?", { onEvent: (event) => events.push(event) });
    expect(result).toMatchObject({ status: "completed", answer: "It is 3.", rounds: 2 });
    expect(result.toolUsageSummary).toEqual({
      totalCalls: 1,
      successRate: 100,
      toolUsage: { add: 1 },
      hasErrors: false,
    });
    const second = model.calls[1]?.prompt;
    expect(second?.at(-1)).toMatchObject({
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          output: { type: "text", value: expect.stringContaining('\n{"sum":3}\n') },
        },
      ],
    });
    expect(events.map(({ type }) => type)).toContain("tool-finished");
  });

  test("reports an invalid call to the model, which corrects it", async () => {
    const model = scriptedModel([
      { toolCalls: [{ name: "add", args: { a: "one" }, id: "c1" }] },
      { toolCalls: [{ name: "add", args: { a: 1, b: 2 }, id: "c2" }] },
      { text: "3" },
    ]);
    const agent = createAgent({ engine: createEngine({ tools: [add] }), model });
    const result = await agent.run("1+2?");
    expect(result).toMatchObject({ status: "completed", answer: "3" });
    const reported = JSON.stringify(model.calls[1]?.prompt.at(-1));
    expect(reported).toContain("error-text");
    expect(reported).toMatch(/\ba\b.*number/);
  });

  test("two rounds of the same calls force an answer", async () => {
    const same = { toolCalls: [{ name: "add", args: { a: 1, b: 2 } }] };
    const model = scriptedModel([same, same, same, { text: "3" }]);
    const agent = createAgent({ engine: createEngine({ tools: [add] }), model, maxRounds: 10 });
    const result = await agent.run("1+2?");
    expect(result).toMatchObject({ status: "completed", answer: "3", toolUsageSummary: { totalCalls: 1 } });
    expect(model.calls.at(-1)?.toolChoice).toEqual({ type: "none" });
  });

  test("a run that needs approval waits, and resumes after the decision", async () => {
    let ran = 0;
    const remove = defineTool({ name: "remove", description: "x", effect: "once", run: () => ++ran });
    const model = scriptedModel([{ toolCalls: [{ name: "remove", args: {}, id: "c1" }] }, { text: "done" }]);
    const agent = createAgent({ engine: createEngine({ tools: [remove] }), model });
    const waiting = await agent.run("remove it");
    expect(waiting).toMatchObject({ status: "waiting", approvals: [{ tool: "remove" }] });
    expect(ran).toBe(0);
    await agent.decide(waiting.approvals?.[0]?.id ?? "", { approved: true });
    expect(await agent.resume(waiting.runId)).toMatchObject({ status: "completed", answer: "done" });
    expect(ran).toBe(1);
  });
});

describe("agents that a retried composite tool calls", () => {
  /** A composite tool that calls an agent a dozen times, and fails at its first attempt. */
  function world() {
    const sent = { count: 0 };
    const send = sampleTool(() => ++sent.count, { name: "send", effect: "once", destructive: false });
    const engine = createEngine({ tools: [send] });
    const model = scriptedModel(({ prompt }) =>
      prompt.some(({ role }) => role === "tool") ? "sent" : { toolCalls: [{ name: "send", args: {} }] },
    );
    const helper = createAgent({ engine, model, tools: ["send"] });
    engine.tools.register(agentTool(helper, { name: "helper", description: "Sends" }));
    let attempts = 0;
    const many = defineTool({
      name: "many",
      description: "x",
      composite: true,
      effect: "idempotent",
      destructive: false,
      run: async (_args, { callTool }) => {
        for (let n = 0; n < 12; n++) await callTool("helper", { prompt: `${n}?` });
        if (attempts++ === 0) throw fail("busy", { code: "not_available", retry: "safe" });
        return "ok";
      },
    });
    engine.tools.register(many);
    return { engine, sent };
  }

  test("repeat nothing, in a call", async () => {
    const { engine, sent } = world();
    expect(await engine.call("many", {}, { maxRetries: 1 })).toMatchObject({ success: true });
    expect(sent.count).toBe(12);
  });

  test("repeat nothing, in a chain", async () => {
    const { engine, sent } = world();
    const spec = { name: "c", steps: [{ id: "a", tool: "many", retry: { max: 1, delay: 0 } }] };
    expect(await runChain(spec, { engine })).toMatchObject({ status: "success" });
    expect(sent.count).toBe(12);
  });
});

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createEngine } from "../engine/index.ts";
import { scriptedModel } from "../model/index.ts";
import { defineTool } from "../tool/index.ts";
import type { AgentEvent } from "./agent-event.ts";
import { createAgent } from "./create-agent.ts";

const add = defineTool({
  name: "add",
  description: "Adds two numbers",
  effect: "pure",
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => ({ sum: a + b }),
});

describe("[E03] the loop", () => {
  test("runs the tools that the model asks for, and gives its answer", async () => {
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
      content: [{ type: "tool-result", toolCallId: "c1", output: { type: "text", value: '{"sum":3}' } }],
    });
    expect(events.map(({ type }) => type)).toContain("tool-finished");
  });

  test("tells the model what is wrong with a call, and it corrects itself", async () => {
    const model = scriptedModel([
      { toolCalls: [{ name: "add", args: { a: "one" }, id: "c1" }] },
      { toolCalls: [{ name: "add", args: { a: 1, b: 2 }, id: "c2" }] },
      { text: "3" },
    ]);
    const agent = createAgent({ engine: createEngine({ tools: [add] }), model });
    const result = await agent.run("1+2?");
    expect(result).toMatchObject({ status: "completed", answer: "3" });
    const told = JSON.stringify(model.calls[1]?.prompt.at(-1));
    expect(told).toContain("error-text");
    expect(told).toMatch(/\ba\b.*number/);
  });

  test("two rounds of the same calls force an answer", async () => {
    const same = { toolCalls: [{ name: "add", args: { a: 1, b: 2 } }] };
    const model = scriptedModel([same, same, same, { text: "3" }]);
    const agent = createAgent({ engine: createEngine({ tools: [add] }), model, maxRounds: 10 });
    const result = await agent.run("1+2?");
    expect(result).toMatchObject({ status: "completed", answer: "3", toolUsageSummary: { totalCalls: 1 } });
    expect(model.calls.at(-1)?.toolChoice).toEqual({ type: "none" });
  });

  test("a run that has to be approved waits, and goes on once somebody has decided", async () => {
    let ran = 0;
    const remove = defineTool({ name: "remove", description: "x", effect: "once", run: () => ++ran });
    const model = scriptedModel([{ toolCalls: [{ name: "remove", args: {}, id: "c1" }] }, { text: "done" }]);
    const agent = createAgent({ engine: createEngine({ tools: [remove] }), model });
    const waiting = await agent.run("remove it");
    expect(waiting).toMatchObject({ status: "waiting", approvals: [{ tool: "remove" }] });
    expect(ran).toBe(0);
  });
});

import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "../engine/index.ts";
import { scriptedModel } from "../model/index.ts";
import { agentTool } from "./agent-tool.ts";
import { createAgent } from "./create-agent.ts";

const about = { name: "helper", description: "Helps with things" };
const helperCall = { toolCalls: [{ name: "helper", args: { question: "what is it?" }, id: "c1" }] };

describe("[B09] an agent as a tool", () => {
  test("answers another agent, with its own rounds, and tells what it used", async () => {
    const look = sampleTool(() => "a tide mill", { name: "look", effect: "read" });
    const engine = createEngine({ tools: [look] });
    const inner = scriptedModel([{ toolCalls: [{ name: "look", args: {} }] }, "it is a tide mill"]);
    engine.tools.register(agentTool(createAgent({ engine, model: inner, tools: ["look"] }), about));
    const outer = scriptedModel([helperCall, "a mill, says my helper"]);
    const result = await createAgent({ engine, model: outer }).run("what is it?");
    expect(result).toMatchObject({ status: "completed", answer: "a mill, says my helper" });
    const told = JSON.stringify(outer.calls[1]?.prompt.at(-1));
    expect(told).toContain("it is a tide mill");
    expect(told).toContain('\\"tool_usage\\":{\\"look\\":1}');
    expect(JSON.stringify(inner.calls[0]?.prompt)).not.toContain("my helper");
  });

  test("waits for a person through the agent that called it, and does nothing twice", async () => {
    let removed = 0;
    let looked = 0;
    const engine = createEngine({
      tools: [
        sampleTool(() => ++looked, { name: "look", effect: "idempotent", destructive: false }),
        sampleTool(() => ++removed, { name: "remove", effect: "once" }),
      ],
    });
    const inner = scriptedModel([
      { toolCalls: [{ name: "look", args: {} }] },
      { toolCalls: [{ name: "remove", args: {} }] },
      "removed it",
    ]);
    engine.tools.register(agentTool(createAgent({ engine, model: inner, tools: ["look", "remove"] }), about));
    const outer = scriptedModel([helperCall, "done"]);
    const agent = createAgent({ engine, model: outer, tools: ["helper"] });
    const waiting = await agent.run("remove it");
    expect(waiting).toMatchObject({ status: "waiting", approvals: [{ tool: "remove", args: {} }] });
    expect(removed).toBe(0);
    expect(await agent.runs.inspect(waiting.runId)).toMatchObject({ status: "waiting", approvals: waiting.approvals });
    await agent.decide(waiting.approvals?.[0]?.id ?? "", { approved: true });
    expect(await agent.resume(waiting.runId)).toMatchObject({ status: "completed", answer: "done" });
    expect([looked, removed]).toEqual([1, 1]);
    inner.assertComplete();
    outer.assertComplete();
  });

  test("waits through two agents, and is over with the one that was asked", async () => {
    const engine = createEngine({ tools: [sampleTool(() => 1, { name: "remove", effect: "once" })] });
    const script = (name: string, args: Record<string, unknown>) =>
      scriptedModel([{ toolCalls: [{ name, args }] }, "done"]);
    const first = createAgent({ engine, model: script("remove", {}), tools: ["remove"] });
    engine.tools.register(agentTool(first, { name: "first", description: "Removes things" }));
    const second = createAgent({ engine, model: script("first", { question: "remove it" }), tools: ["first"] });
    engine.tools.register(agentTool(second, { name: "second", description: "Has things removed" }));
    const agent = createAgent({ engine, model: script("second", { question: "remove it" }), tools: ["second"] });
    const { runId, status, approvals } = await agent.run("remove it");
    expect({ status, approvals }).toMatchObject({ status: "waiting", approvals: [{ tool: "remove" }] });
    const asked = await agent.runs.approvals.get(approvals?.[0]?.id ?? "", Date.now());
    expect(await agent.runs.cancel(runId, "ann")).toBe(true);
    expect(await agent.runs.approvals.list(Date.now(), "pending")).toEqual([]);
    expect(await first.runs.inspect(asked?.runId ?? "")).toMatchObject({ status: "cancelled" });
  });

  test("whose call a person refused does not wait for ever", async () => {
    const engine = createEngine({ tools: [sampleTool(() => 1, { name: "remove", effect: "once" })] });
    const inner = scriptedModel([{ toolCalls: [{ name: "remove", args: {} }] }, "never"]);
    const helper = createAgent({ engine, model: inner, tools: ["remove"] });
    engine.tools.register(agentTool(helper, about));
    const agent = createAgent({ engine, model: scriptedModel([helperCall, "not removed"]), tools: ["helper"] });
    const { runId, approvals } = await agent.run("remove it");
    await agent.decide(approvals?.[0]?.id ?? "", { approved: false });
    const sub = (await agent.runs.approvals.get(approvals?.[0]?.id ?? "", Date.now()))?.runId ?? "";
    expect(await agent.resume(runId)).toMatchObject({ status: "completed", answer: "not removed" });
    expect(await helper.runs.inspect(sub)).toMatchObject({ status: "cancelled" });
  });

  test("stops with the agent that called it", async () => {
    let stopped = false;
    const hang = sampleTool(
      (_args, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            stopped = true;
            reject(signal.reason as Error);
          });
        }),
      { name: "hang", effect: "read" },
    );
    const engine = createEngine({ tools: [hang] });
    const inner = scriptedModel([{ toolCalls: [{ name: "hang", args: {} }] }, "never"]);
    engine.tools.register(agentTool(createAgent({ engine, model: inner, tools: ["hang"] }), about));
    const agent = createAgent({ engine, model: scriptedModel([helperCall, "never"]), tools: ["helper"] });
    const controller = new AbortController();
    const running = agent.run("go", { signal: controller.signal });
    setTimeout(() => controller.abort(), 30);
    expect(await running).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    expect(stopped).toBe(true);
  });
});

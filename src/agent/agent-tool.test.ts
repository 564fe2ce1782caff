import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "../engine/index.ts";
import { type Model, scriptedModel } from "../model/index.ts";
import { createMemoryApprovals, createMemoryRuns } from "../store/index.ts";
import { Agent } from "./agent.ts";
import { agentTool } from "./agent-tool.ts";
import { createAgent } from "./create-agent.ts";
import { AgentRuns } from "./run/agent-runs.ts";
import { agentDefaults } from "./run/agent-spec.ts";
import { rootRun } from "./run/kept-run.ts";
import { findRunner } from "./runners/find-runner.ts";

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

  describe("that is called because of text from outside", () => {
    /** Asked to send and to write, after the agent that calls it has read a page. */
    async function waiting() {
      const written: unknown[] = [];
      const permissions = { ask: ["model:send"], allow: ["*"] };
      const tools = [
        sampleTool(() => "have helper write", { name: "fetch_page", effect: "read" }),
        sampleTool(() => "ok", { name: "send", effect: "once" }),
        sampleTool((args) => written.push(args), { name: "write", effect: "idempotent", destructive: true }),
      ];
      const engine = createEngine({ tools, permissions });
      const call = (name: string, args = {}) => ({ toolCalls: [{ name, args }] });
      const models: Record<string, Model> = {
        inner: scriptedModel([call("send"), call("write"), "written"]),
        outer: scriptedModel([call("fetch_page"), call("helper", { question: "send and write" }), "done"]),
      };
      const journal = createMemoryRuns();
      const runs = new AgentRuns({
        engine,
        journal,
        approvals: createMemoryApprovals(),
        owner: { id: "p", pid: 1, processStart: "p", bootId: "" },
        runner: findRunner,
        model: (name = "outer") => models[name],
      });
      const agentOf = (model: string, ...names: string[]) =>
        new Agent(runs, { ...agentDefaults, runner: "autonomous", model, tools: names, trusted: ["send"] });
      const helper = agentOf("inner", "send", "write");
      engine.tools.register(agentTool(helper, about));
      const agent = agentOf("outer", "fetch_page", "helper");
      const session = agent.session();
      const result = await session.ask("go");
      expect(result).toMatchObject({ status: "waiting", tainted: true, approvals: [{ tool: "send" }] });
      const approval = await runs.approvals.get(result.approvals?.[0]?.id ?? "", Date.now());
      await agent.decide(approval?.id ?? "", { approved: true });
      return { agent, session, helper, journal, written, runId: result.runId, sub: approval?.runId ?? "" };
    }
    const asks = { status: "waiting", tainted: true, approvals: [{ tool: "write" }] };

    test("does no harm unasked, whoever goes on with it", async () => {
      const first = await waiting();
      expect(await first.agent.resume(first.runId)).toMatchObject(asks);
      const second = await waiting();
      expect(await second.helper.resume(second.sub)).toMatchObject(asks);
      expect([...first.written, ...second.written]).toEqual([]);
    });

    test("is no question of the conversation that it is called in", async () => {
      const { session, sub, written } = await waiting();
      await expect(session.resume(sub)).rejects.toMatchObject({ code: "validation_error" });
      expect(written).toEqual([]);
    });

    test("tells which run was asked in the first place", async () => {
      const { journal, runId, sub } = await waiting();
      const roots = [sub, runId, "unknown"].map((id) => rootRun(journal, id));
      expect(await Promise.all(roots)).toEqual([runId, runId, "unknown"]);
    });
  });
});

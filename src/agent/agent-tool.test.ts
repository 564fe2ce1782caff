import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { ChainLibrary, ChainRuns } from "../chain/index.ts";
import { createEngine } from "../engine/index.ts";
import { type Model } from "../model/index.ts";
import { scriptedModel } from "../testing/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../store/index.ts";
import { Agent } from "./agent.ts";
import type { AgentEvent } from "./events/agent-event.ts";
import { agentTool } from "./agent-tool.ts";
import { createAgent } from "./create-agent.ts";
import { AgentRuns } from "./run/agent-runs.ts";
import { agentDefaults } from "./run/resolve-agent-spec.ts";
import { ancestorRunIds } from "../run/sub-runs.ts";
import { findRunner } from "./runners/find-runner.ts";

const about = { name: "helper", description: "Helps with things" };
const helperCall = { toolCalls: [{ name: "helper", args: { prompt: "what is it?" }, id: "c1" }] };

describe("[B09] an agent as a tool", () => {
  test("answers another agent within its own rounds and reports its usage", async () => {
    const look = sampleTool(() => "a tide mill", { name: "look", effect: "read" });
    const engine = createEngine({ tools: [look] });
    const inner = scriptedModel([{ toolCalls: [{ name: "look", args: {} }] }, "it is a tide mill"]);
    engine.tools.register(agentTool(createAgent({ engine, model: inner, tools: ["look"] }), about));
    const outer = scriptedModel([helperCall, "a mill, says my helper"]);
    const result = await createAgent({ engine, model: outer }).run("what is it?");
    expect(result).toMatchObject({ status: "completed", answer: "a mill, says my helper" });
    const reported = JSON.stringify(outer.calls[1]?.prompt.at(-1));
    expect(reported).toContain("it is a tide mill");
    expect(reported).toContain('\\"tool_usage\\":{\\"look\\":1}');
    expect(JSON.stringify(inner.calls[0]?.prompt)).not.toContain("my helper");
  });

  test("waits for a person through the agent that called it, and repeats no call", async () => {
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

  test("waits through two agents, and ends with the outermost one", async () => {
    const engine = createEngine({ tools: [sampleTool(() => 1, { name: "remove", effect: "once" })] });
    const script = (name: string, args: Record<string, unknown>) =>
      scriptedModel([{ toolCalls: [{ name, args }] }, "done"]);
    const first = createAgent({ engine, model: script("remove", {}), tools: ["remove"] });
    engine.tools.register(agentTool(first, { name: "first", description: "Removes things" }));
    const second = createAgent({ engine, model: script("first", { prompt: "remove it" }), tools: ["first"] });
    engine.tools.register(agentTool(second, { name: "second", description: "Has things removed" }));
    const agent = createAgent({ engine, model: script("second", { prompt: "remove it" }), tools: ["second"] });
    const { runId, status, approvals } = await agent.run("remove it");
    expect({ status, approvals }).toMatchObject({ status: "waiting", approvals: [{ tool: "remove" }] });
    const requested = await agent.runs.approvals.get(approvals?.[0]?.id ?? "", Date.now());
    expect(await agent.runs.cancel(runId, "ann")).toBe(true);
    expect(await agent.runs.approvals.list(Date.now(), "pending")).toEqual([]);
    expect(await first.runs.inspect(requested?.runId ?? "")).toMatchObject({ status: "cancelled" });
  });

  test("does not wait forever after a person rejected its call", async () => {
    const engine = createEngine({ tools: [sampleTool(() => 1, { name: "remove", effect: "once" })] });
    const inner = scriptedModel([{ toolCalls: [{ name: "remove", args: {} }] }, "I was not allowed to"]);
    const helper = createAgent({ engine, model: inner, tools: ["remove"] });
    engine.tools.register(agentTool(helper, about));
    const outer = scriptedModel([helperCall, "not removed"]);
    const agent = createAgent({ engine, model: outer, tools: ["helper"] });
    const { runId, approvals } = await agent.run("remove it");
    await agent.decide(approvals?.[0]?.id ?? "", { approved: false, note: "keep it" });
    expect(await agent.resume(runId)).toMatchObject({ status: "completed", answer: "not removed" });
    expect(JSON.stringify(inner.calls[1]?.prompt)).toContain("a person refused to let remove run: keep it");
    expect(JSON.stringify(outer.calls[1]?.prompt)).toContain("I was not allowed to");
  });

  test("reports the call that it wants to make as the one that needs approval", async () => {
    const remove = sampleTool(() => 1, { name: "remove", effect: "once" });
    const engine = createEngine({ tools: [remove] });
    const inner = scriptedModel([{ toolCalls: [{ name: "remove", args: { q: "all of it" } }] }, "never"]);
    engine.tools.register(agentTool(createAgent({ engine, model: inner, tools: ["remove"] }), about));
    const agent = createAgent({ engine, model: scriptedModel([helperCall, "never"]), tools: ["helper"] });
    const events: AgentEvent[] = [];
    const { approvals } = await agent.run("go", { onEvent: (event) => events.push(event) });
    expect(approvals).toMatchObject([{ tool: "remove", args: { q: "all of it" } }]);
    expect(events.filter(({ type }) => type === "approval-requested")).toMatchObject([
      {
        approvalId: approvals?.[0]?.id,
        tool: "remove",
        args: { q: "all of it" },
        message: "Allow remove to run with these arguments? (helper wants to call it)",
      },
    ]);
  });

  test.each([
    { approved: true, calls: 1 },
    { approved: false, calls: 0 },
  ])(
    "an agent in a chain requests approval for its call, and follows the decision $approved",
    async ({ approved, calls }) => {
      let removed = 0;
      const engine = createEngine({ tools: [sampleTool(() => ++removed, { name: "remove", effect: "once" })] });
      const approvals = createInMemoryApprovals();
      const stored = { engine, journal: createInMemoryRunJournal({ approvals }), approvals };
      const model = scriptedModel([{ toolCalls: [{ name: "remove", args: { q: "x" } }] }, "what I could"]);
      const runs = new AgentRuns({
        ...stored,
        runner: findRunner,
        model: () => model,
      });
      const spec = { ...agentDefaults, runner: "autonomous", tools: ["remove"] };
      engine.tools.register(agentTool(new Agent(runs, spec), about));
      const chains = new ChainLibrary({ tools: engine.tools });
      chains.add({ name: "c", spec: { name: "c", steps: [{ id: "a", tool: "helper", params: { prompt: "?" } }] } });
      const chainRuns = new ChainRuns({ ...stored, chains });
      const waiting = await chainRuns.start(chains.plan("c"), { runId: "c" });
      const [prompt] = waiting.steps[0]?.pendingApprovals ?? [];
      expect(prompt).toMatchObject({ tool: "remove", args: { q: "x" } });
      await stored.approvals.decide(prompt?.approvalId ?? "", { approved }, Date.now());
      const done = await chainRuns.resume("c");
      expect(done).toMatchObject({ status: "success", output: { a: { answer: "what I could" } } });
      expect(removed).toBe(calls);
    },
  );

  test("waits for a person through a tool that rethrows the failure", async () => {
    let removed = 0;
    const engine = createEngine({ tools: [sampleTool(() => ++removed, { name: "remove", effect: "once" })] });
    const inner = scriptedModel([{ toolCalls: [{ name: "remove", args: {} }] }, "removed"]);
    engine.tools.register(agentTool(createAgent({ engine, model: inner, tools: ["remove"] }), about));
    engine.tools.register(
      sampleTool(
        async (_args, { callTool }) => {
          const helped = await callTool("helper", { prompt: "?" });
          if (!helped.success) throw new Error(`no help: ${helped.error.message}`);
          return "helped";
        },
        { name: "own", effect: "idempotent", destructive: false, composite: true },
      ),
    );
    const outer = scriptedModel([{ toolCalls: [{ name: "own", args: {} }] }, "done"]);
    const agent = createAgent({ engine, model: outer, tools: ["own"] });
    const { runId, approvals } = await agent.run("go");
    expect(approvals).toMatchObject([{ tool: "remove" }]);
    await agent.decide(approvals?.[0]?.id ?? "", { approved: true });
    expect(await agent.resume(runId)).toMatchObject({ status: "completed", answer: "done" });
    expect(removed).toBe(1);
  });

  test("is not retried after a failure: the same call would find the same run", async () => {
    const engine = createEngine({ tools: [] });
    const inner = scriptedModel(() => Promise.reject(new Error("boom")));
    engine.tools.register(agentTool(createAgent({ engine, model: inner, runner: "llm" }), about));
    const { success, meta } = await engine.call("helper", { prompt: "?" }, { maxRetries: 3 });
    expect({ success, attempts: meta["attempts"] }).toEqual({ success: false, attempts: 1 });
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

  describe("an agent that is called because of untrusted content", () => {
    /** A run that sends and writes, called by an agent that has read a page. */
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
        outer: scriptedModel([call("fetch_page"), call("helper", { prompt: "send and write" }), "done"]),
      };
      const approvals = createInMemoryApprovals();
      const journal = createInMemoryRunJournal({ approvals });
      const runs = new AgentRuns({
        engine,
        journal,
        approvals,
        runner: findRunner,
        model: (name = "outer") => models[name],
      });
      const agentOf = (model: string, ...names: string[]) =>
        new Agent(runs, { ...agentDefaults, runner: "autonomous", model, tools: names, trustedTools: ["send"] });
      const helper = agentOf("inner", "send", "write");
      engine.tools.register(agentTool(helper, about));
      const agent = agentOf("outer", "fetch_page", "helper");
      const session = agent.session();
      const result = await session.send("go");
      expect(result).toMatchObject({ status: "waiting", tainted: true, approvals: [{ tool: "send" }] });
      const approval = await runs.approvals.get(result.approvals?.[0]?.id ?? "", Date.now());
      await agent.decide(approval?.id ?? "", { approved: true });
      return { agent, session, helper, journal, written, runId: result.runId, sub: approval?.runId ?? "" };
    }
    const requests = { status: "waiting", tainted: true, approvals: [{ tool: "write" }] };

    test("makes no destructive call without approval, even if another caller resumes it", async () => {
      const first = await waiting();
      expect(await first.agent.resume(first.runId)).toMatchObject(requests);
      const second = await waiting();
      expect(await second.helper.resume(second.sub)).toMatchObject(requests);
      expect([...first.written, ...second.written]).toEqual([]);
    });

    test("does not add a prompt to the conversation that it is called in", async () => {
      const { session, sub, written } = await waiting();
      await expect(session.resume(sub)).rejects.toMatchObject({ code: "validation_error" });
      expect(written).toEqual([]);
    });

    test("records which runs called it", async () => {
      const { journal, runId, sub } = await waiting();
      const above = [sub, runId, "unknown"].map((id) => ancestorRunIds(journal, id));
      expect(await Promise.all(above)).toEqual([[sub, runId], [runId], ["unknown"]]);
    });
  });
});

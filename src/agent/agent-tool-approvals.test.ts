import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { ChainLibrary, ChainRuns, type StepSpec, chainTool } from "../chain/index.ts";
import { type EngineOptions, createEngine, internals } from "../engine/index.ts";
import { scriptedModel } from "../testing/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../store/index.ts";
import type { ToolResult } from "../tool/index.ts";
import { Agent } from "./agent.ts";
import { agentTool } from "./agent-tool.ts";
import { AgentRuns } from "./run/agent-runs.ts";
import { agentDefaults } from "./run/resolve-agent-spec.ts";
import { findRunner } from "./runners/find-runner.ts";

/** A helper that requests one removal, and its possible callers: agents, chains, a chain as a tool. */
function world({ permissions }: Pick<EngineOptions, "permissions"> = {}) {
  const done: string[] = [];
  const tool = (name: string, effect: "once" | "read", destructive: boolean) =>
    sampleTool(() => done.push(name), { name, effect, destructive });
  const engine = createEngine({
    tools: [tool("send", "once", false), tool("remove", "once", true), tool("look", "read", false)],
    ...(permissions !== undefined && { permissions }),
  });
  const approvals = createInMemoryApprovals();
  const stored = { engine, journal: createInMemoryRunJournal({ approvals }), approvals };
  const inner = scriptedModel(({ prompt }) =>
    prompt.some(({ role }) => role === "tool") ? "as far as I could" : { toolCalls: [{ name: "remove", args: {} }] },
  );
  const runs = new AgentRuns({ ...stored, runner: findRunner, model: () => inner });
  const spec = { ...agentDefaults, runner: "autonomous", tools: ["remove"] };
  engine.tools.register(agentTool(new Agent(runs, spec), { name: "helper", description: "Helps" }));
  const chains = new ChainLibrary({ tools: engine.tools });
  const chainRuns = new ChainRuns({ ...stored, chains, cancelSubRuns: runs.cancelSubRuns.bind(runs) });
  const plan = (name: string, ...steps: StepSpec[]) => {
    chains.add({ name, spec: { name, steps } });
    return chains.plan(name);
  };
  /** Approves all pending approvals. */
  const allow = async () => {
    const open = await approvals.list(Date.now(), "pending");
    for (const { id } of open) await approvals.decide(id, { approved: true }, Date.now());
    return open.map((prompt) => prompt.tool);
  };
  const states = async () => (await stored.journal.list()).map(({ status }) => status).toSorted();
  return { engine, approvals, done, runs, spec, chainRuns, plan, allow, states };
}

/** Rethrows the failure of another tool, as some tools do. */
function passed(result: ToolResult): unknown {
  if (!result.success) throw new Error(result.error.message);
  return result.output;
}

const helper = { tool: "helper", params: { prompt: "?" } };

describe("[B09] the approval of an agent as a tool", () => {
  test("does not repeat a chain that must run only once: the agent ends and the caller gets the reason", async () => {
    const { engine, done, runs, spec, plan, states } = world();
    engine.tools.register(
      chainTool(plan("within", { id: "s", tool: "send" }, { id: "h", ...helper, depends_on: ["s"] })),
    );
    const requests = scriptedModel([{ toolCalls: [{ name: "within", args: {} }] }, "reported"]);
    const outer = new AgentRuns({
      engine,
      journal: createInMemoryRunJournal({ approvals: runs.approvals }),
      approvals: runs.approvals,
      runner: findRunner,
      model: () => requests,
    });
    const agent = new Agent(outer, { ...spec, tools: ["within"] });
    expect(await agent.run("go")).toMatchObject({ status: "completed", answer: "reported" });
    expect(done).toEqual(["send"]);
    expect(JSON.stringify(requests.calls[1]?.prompt)).toContain("must not run twice");
    expect(await states()).toEqual(["cancelled"]);
  });

  test("is requested once if the agent undoes a step, also if a rule requires approval for the agent", async () => {
    const { chainRuns, plan, allow, done } = world({ permissions: { ask: ["helper", "remove"], allow: ["*"] } });
    const fails: StepSpec = { id: "f", tool: "look", condition: "${1 / 0 > 1}", depends_on: ["s"] };
    const undone = plan("c", { id: "s", tool: "send", compensate: helper }, fails);
    const requested: string[] = [];
    let result = await chainRuns.start(undone, { runId: "c" });
    for (let round = 0; round < 4 && result.status === "waiting"; round++) {
      requested.push(...(await allow()));
      result = await chainRuns.resume("c");
    }
    expect(result.status).toBe("failed");
    expect(requested).toEqual(["helper", "remove"]);
    expect(done).toEqual(["send", "remove"]);
  });

  test("is not untrusted content for the caller that waits for it", async () => {
    const { engine, runs, spec, allow, done } = world({ permissions: { ask: ["remove"], allow: ["*"] } });
    const has = { name: "has", effect: "idempotent", destructive: true, composite: true } as const;
    engine.tools.register(
      sampleTool(async (_args, { callTool }) => passed(await callTool("helper", helper.params)), has),
    );
    const requests = scriptedModel([{ toolCalls: [{ name: "has", args: {} }] }, "done"]);
    const parts = { engine, approvals: runs.approvals, runner: findRunner, model: () => requests };
    const outer = new AgentRuns({ ...parts, journal: createInMemoryRunJournal({ approvals: runs.approvals }) });
    const agent = new Agent(outer, { ...spec, tools: ["has"] });
    const { runId } = await agent.run("go");
    expect(await allow()).toEqual(["remove"]);
    expect(await agent.resume(runId)).toMatchObject({ status: "completed" });
    expect(done).toEqual(["remove"]);
  });

  test("ends with a chain that fails in its first execution", async () => {
    const { chainRuns, plan, approvals, states } = world();
    const fails: StepSpec = { id: "f", tool: "look", condition: "${1 / 0 > 1}", depends_on: [] };
    const both = plan("c", { id: "h", ...helper }, fails);
    expect(await chainRuns.start(both, { runId: "c", waitForDecisions: true })).toMatchObject({ status: "failed" });
    expect(await approvals.list(Date.now(), "pending")).toEqual([]);
    expect(await states()).toEqual(["cancelled", "failed"]);
  });

  test("may be decided at the moment when the agent suspends", async () => {
    const { chainRuns, plan, approvals, done, allow } = world();
    const list = approvals.list.bind(approvals);
    approvals.list = async (...requested) => {
      approvals.list = list;
      await allow();
      return list(...requested);
    };
    expect(await chainRuns.start(plan("c", { id: "h", ...helper }), { runId: "c" })).toMatchObject({
      status: "success",
    });
    expect(done).toEqual(["remove"]);
  });

  test("the approval of an interrupted call accepts the decision that it was done, once", async () => {
    const { engine, approvals, chainRuns, plan } = world();
    const about = { tool: "remove", args: {}, message: "Was it done?", interrupted: true } as const;
    const expiresAt = Date.now() + 60_000;
    const stored = await approvals.request({ ...about, key: "k", callerType: "direct", runId: "sub", expiresAt });
    const requests = sampleTool(
      async (_args, context) => {
        if ((await approvals.get(stored.id, Date.now()))?.status !== "pending") return "answered";
        internals(context).step?.suspendFor({ ...about, approvalId: stored.id });
        throw new Error("waits");
      },
      { name: "asks", effect: "idempotent", destructive: false, composite: true },
    );
    engine.tools.register(requests);
    expect(await chainRuns.start(plan("c", { id: "a", tool: "asks" }), { runId: "c" })).toMatchObject({
      status: "waiting",
    });
    await approvals.decide(stored.id, { approved: true, done: { output: "it was" } }, Date.now());
    expect(await chainRuns.resume("c")).toMatchObject({ status: "success", output: { a: "answered" } });
    expect(await approvals.list(Date.now(), "pending")).toEqual([]);
  });
});

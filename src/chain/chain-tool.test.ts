import { describe, expect, test } from "vitest";
import { runWith } from "../../test/support/chain-runner.ts";
import { type Approver, type PermissionRules, createEngine } from "../engine/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../store/index.ts";
import { defineTool } from "../tool/index.ts";
import { ChainRuns } from "./chain-runs.ts";
import { type MockAnswer, mockTools } from "../testing/chain/mock-tools.ts";
import { ChainLibrary } from "./chain-library.ts";
import type { ChainSpec } from "./plan/chain-spec.ts";
import { runChain } from "./run-chain.ts";

function setup(
  specs: readonly ChainSpec[],
  behaviours: Readonly<Record<string, MockAnswer>>,
  permissions: PermissionRules = {},
  approver?: Approver,
) {
  const tools = mockTools(Object.keys(behaviours), behaviours);
  const approvals = createInMemoryApprovals();
  const engine = createEngine({ tools, permissions, ...(approver !== undefined && { approver }) });
  const chains = new ChainLibrary({ tools: engine.tools });
  for (const spec of specs) chains.add({ name: spec.name, spec });
  chains.registerIn(engine.tools);
  const journal = createInMemoryRunJournal({ approvals });
  const runs = new ChainRuns({ engine, journal, approvals, chains });
  return { engine, tools, approvals, chains, runs, called: () => tools.calls.map(({ tool }) => tool) };
}

describe("[A12] a chain that is called as a tool", () => {
  test("does not start if one of its steps needs an approval", async () => {
    const requests = {
      name: "asks",
      steps: [
        { id: "a", tool: "t" },
        { id: "b", tool: "t", approval: "?" },
      ],
    };
    const { engine, called } = setup([requests], { t: 1 });
    const result = await engine.call("asks", {});
    expect(result).toMatchObject({
      success: false,
      error: { code: "not_available", reason: "needs_approval", retry: "never" },
    });
    expect(!result.success && result.error.message).toMatch(/its step "b" needs .*windlass run asks/);
    expect(called()).toEqual([]);
  });

  test("is refused before an approval of its call is requested", async () => {
    const requests = { name: "asks", steps: [{ id: "b", tool: "t", approval: "?" }] };
    const rules = { ask: ["asks"] };
    const requested: string[] = [];
    const approver: Approver = {
      requestApproval: ({ tool }) => (requested.push(tool), Promise.resolve({ kind: "approved" })),
    };
    const { engine } = setup([requests], { t: 1 }, rules, approver);
    expect(await engine.call("asks", {})).toMatchObject({
      error: { code: "not_available", reason: "needs_approval" },
    });
    expect(requested).toEqual([]);
    const elicit = () => Promise.resolve({ action: "accept" as const, content: { approve: true } });
    await engine.call("asks", {}, { elicit });
    expect(requested).toEqual(["asks"]);
  });

  test("does not start if a chain that it calls, even as a fallback, needs an approval", async () => {
    const inner = { name: "inner", steps: [{ id: "in", tool: "t", approval: "?" }] };
    const outer = {
      name: "outer",
      steps: [
        { id: "a", tool: "t" },
        { id: "b", tool: "t", error_handling: { fallback: [{ tool: "inner" }] } },
      ],
    };
    const { engine, called } = setup([inner, outer], { t: 1 });
    expect(await engine.call("outer", {})).toMatchObject({
      error: { message: expect.stringContaining('step "in" of the chain inner needs') as string },
    });
    expect(called()).toEqual([]);
  });

  const undoable: ChainSpec = {
    name: "c",
    steps: [
      { id: "first", tool: "book", compensate: { tool: "unbook" } },
      { id: "then", tool: "danger", depends_on: ["first"] },
    ],
  };

  test("rejects the approval that a rule requires inside: the step fails, and completed steps are compensated", async () => {
    const { engine, called } = setup([undoable], { book: 1, unbook: 1, danger: 1 }, { ask: ["danger"] });
    const result = await engine.call("c", {});
    expect(result).toMatchObject({ success: false, error: { code: "permission_denied", reason: "rejected" } });
    expect(!result.success && result.error.message).toMatch(/no approver is available .*windlass run c/);
    expect(called()).toEqual(["book", "unbook"]);
  });

  test("does the same for an approval inside of a tool that its steps call", async () => {
    const { engine, called, chains } = setup([], { book: 1, unbook: 1, inside: 1 }, { ask: ["inside"] });
    const danger = defineTool({
      name: "danger",
      description: "d",
      composite: true,
      run: async (_args, { callTool }) => {
        const result = await callTool("inside", {});
        if (!result.success) throw Object.assign(new Error(result.error.message), result.error);
      },
    });
    engine.tools.register(danger);
    chains.add({ name: "c", spec: undoable });
    chains.registerIn(engine.tools);
    expect(await engine.call("c", {})).toMatchObject({ success: false });
    expect(called()).toEqual(["book", "unbook"]);
  });

  test("the run can continue without steps that need approval by a rule", async () => {
    const spec = {
      name: "c",
      steps: [
        { id: "a", tool: "danger", error_handling: { strategy: "continue" } },
        { id: "b", tool: "t" },
      ],
    };
    const { engine } = setup([spec], { danger: 1, t: 2 }, { ask: ["danger"] });
    expect(await engine.call("c", {})).toMatchObject({ success: true, output: { b: 2 } });
  });
});

describe("deny rules", () => {
  const inner: ChainSpec = { name: "inner", steps: [{ id: "s", tool: "t" }] };
  const outer: ChainSpec = {
    name: "outer",
    steps: [
      { id: "a", tool: "t" },
      { id: "sub", tool: "inner", depends_on: ["a"] },
    ],
  };

  test.each([
    { deny: ["inner"] },
    { deny: ["person:inn*"] },
    { deny: ["source:chains"] },
    { deny: ["effect:pure"] },
    { allow: ["t"] },
  ])("%j: denies a chain like any call", async (permissions) => {
    const { runs, chains, engine, called } = setup([inner], { t: 1 }, permissions);
    const refused = { code: "permission_denied", reason: "rule" };
    await expect(runs.start(chains.plan("inner"), { runId: "r" })).rejects.toMatchObject(refused);
    await expect(runChain(chains.plan("inner"), { engine })).rejects.toMatchObject(refused);
    expect(await engine.call("inner", {})).toMatchObject({ error: refused });
    expect([called(), await runs.list()]).toEqual([[], []]);
  });

  test("deny a rerun of a chain, too", async () => {
    const approvals = createInMemoryApprovals();
    const journal = createInMemoryRunJournal({ approvals });
    const runsUnder = (permissions: PermissionRules) => {
      const engine = createEngine({ tools: mockTools(["t"], { t: 1 }), permissions });
      const chains = new ChainLibrary({ tools: engine.tools });
      chains.add({ name: "inner", spec: inner });
      return { chains, runs: new ChainRuns({ engine, journal, approvals, chains }) };
    };
    const before = runsUnder({});
    await before.runs.start(before.chains.plan("inner"), { runId: "r" });
    await expect(runsUnder({ deny: ["inner"] }).runs.rerun("r")).rejects.toMatchObject({ code: "permission_denied" });
  });

  test("a step that calls a denied chain fails, and nothing of that chain runs", async () => {
    const permissions = { deny: ["chain:inner"] };
    const { runs, chains, engine, called } = setup([inner, outer], { t: 1 }, permissions);
    const denied = { status: "failed", error: { code: "permission_denied", reason: "rule" } };
    const run = await runs.start(chains.plan("outer"), { runId: "r" });
    expect(run).toMatchObject(denied);
    expect(run.error?.message).toBe('sub: inner may not be called here: the rule "chain:inner" denies it');
    expect(await runChain(chains.plan("outer"), { engine, chains })).toMatchObject(denied);
    expect(await engine.call("outer", {})).toMatchObject({ error: denied.error });
    expect(called()).toEqual(["t", "t", "t"]);
    // A person may run it.
    expect((await runs.start(chains.plan("inner"))).status).toBe("success");
  });

  test("a run uses the denials of its start, so that it can be replayed", async () => {
    const denied = setup([inner, outer], { t: 1 }, { deny: ["chain:inner"] });
    await denied.runs.start(denied.chains.plan("outer"), { runId: "r" });
    const { run, events } = await denied.runs.read("r");
    expect(JSON.parse(run.context)).toMatchObject({ denied: { inner: expect.any(String) as string } });
    expect(events.filter(({ key }) => key.startsWith("sub"))).toEqual([]);
    expect(await denied.runs.inspect("r")).toMatchObject({ error: { code: "permission_denied" } });
  });

  test("ask rules apply to the tools inside", async () => {
    const { result } = await runWith(outer, {
      others: [inner],
      tools: { t: 1 },
      settings: { permissions: { ask: ["inner", "source:chains"] } },
    });
    expect(result.status).toBe("success");
  });
});

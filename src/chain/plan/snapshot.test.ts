import { expect, test } from "vitest";
import { goodPlan, planContext, planTogether, plannedTool } from "../../../test/support/planning.ts";
import { ToolRegistry } from "../../tool/index.ts";
import { fingerprintTool } from "../../tool/index.ts";
import { planFromSnapshot, snapshotOf } from "./snapshot.ts";

const files = {
  outer: `
name: outer
max_parallel: 3
steps:
  - { id: i, tool: inner, params: { q: "\${input.q}" } }
  - id: m
    tool: send_mail
    params: { text: "\${steps.i.output.n}" }
    error_handling: { fallback: [{ tool: save_file }] }
    compensate: { tool: anything }
`,
  inner:
    'name: inner\nsteps: [{ id: n, tool: find_news, params: { topic: "${input.q}" } }, { id: again, tool: outer, condition: "${false}", params: { q: 1 } }]',
};

test("a snapshot holds the chain, every chain it calls, and a fingerprint of every tool they name", () => {
  const { plan } = planTogether(files)("outer");
  if (plan === undefined) throw new Error("no plan");
  const { definition, fingerprints } = snapshotOf(plan);
  const kept = JSON.parse(definition) as { chain: string; chains: Record<string, unknown> };
  expect(kept.chain).toBe("outer");
  expect(Object.keys(kept.chains).toSorted()).toEqual(["inner", "outer"]);
  expect(Object.keys(fingerprints).toSorted()).toEqual(["anything", "find_news", "save_file", "send_mail"]);
});

test("the same plan is made of it again, whatever became of the chains and the workspace's limits", () => {
  const { plan } = planTogether(files)("outer");
  if (plan === undefined) throw new Error("no plan");
  const { definition, fingerprints } = snapshotOf(plan);
  const chains = (): never => {
    throw new Error("the snapshot knows its chains");
  };
  const again = planFromSnapshot(definition, planContext({ maxParallel: 9, chains }));
  expect(again.problems).toEqual([]);
  expect(again.plan).toMatchObject({ name: "outer", maxParallel: 3 });
  expect(again.plan?.byId.get("i")?.target.chain?.()).toMatchObject({ name: "inner", maxParallel: 5 });
  expect(again.plan && snapshotOf(again.plan)).toEqual({ definition, fingerprints });
});

test("a snapshot that cannot be read, or whose tools are gone, is a problem and no exception", () => {
  for (const text of ["", "{", "[]", "{}", '{"chain":"a","chains":{}}', '{"chain":"toString","chains":{}}']) {
    expect(planFromSnapshot(text, planContext()).problems.map(({ code }) => code)).toEqual(["bad_snapshot"]);
  }
  const { definition } = snapshotOf(goodPlan("name: a\nsteps: [{ id: x, tool: anything }]"));
  expect(planFromSnapshot(definition, { tools: new ToolRegistry() }).problems.map(({ code }) => code)).toEqual([
    "unknown_tool",
  ]);
});

test("a tool's fingerprint changes with what a run relies on, and with nothing else", () => {
  const input = { type: "object", properties: { a: { type: "string" }, b: {} } };
  const base = fingerprintTool(plannedTool("t", { input }));
  expect(
    fingerprintTool(plannedTool("t", { input: { properties: { b: {}, a: { type: "string" } }, type: "object" } })),
  ).toBe(base);
  const changed = [
    plannedTool("u", { input }),
    plannedTool("t", { input, version: "2.0.0" }),
    plannedTool("t", { input, effect: "once" }),
    plannedTool("t", { input, effect: () => "read" }),
    plannedTool("t", { input, output: { type: "string" } }),
    plannedTool("t", { input: { type: "object" } }),
  ].map(fingerprintTool);
  expect(new Set([base, ...changed]).size).toBe(7);
});

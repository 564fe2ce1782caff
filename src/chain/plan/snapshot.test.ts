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
  const stored = JSON.parse(definition) as { chain: string; chains: Record<string, unknown> };
  expect(stored.chain).toBe("outer");
  expect(Object.keys(stored.chains).toSorted()).toEqual(["inner", "outer"]);
  expect(Object.keys(fingerprints).toSorted()).toEqual(["anything", "find_news", "save_file", "send_mail"]);
});

test("restores the same plan, even if the chains and the workspace's limits have changed", () => {
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
  expect(again.plan && snapshotOf(again.plan)).toMatchObject({ definition, fingerprints });
});

test("a snapshot that cannot be read, or whose tools no longer exist, is a problem, not an exception", () => {
  for (const text of ["", "{", "[]", "{}", '{"chain":"a","chains":{}}', '{"chain":"toString","chains":{}}']) {
    expect(planFromSnapshot(text, planContext()).problems.map(({ code }) => code)).toEqual(["bad_snapshot"]);
  }
  const { definition } = snapshotOf(goodPlan("name: a\nsteps: [{ id: x, tool: anything }]"));
  expect(planFromSnapshot(definition, { tools: new ToolRegistry() }).problems.map(({ code }) => code)).toEqual([
    "unknown_tool",
  ]);
});

test("a tool's fingerprint changes only with properties that a run relies on", () => {
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

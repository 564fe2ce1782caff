import { expect, test } from "vitest";
import { ToolRegistry } from "../tool/index.ts";
import { planChain } from "./plan/plan-chain.ts";
import type { Plan } from "./plan/plan.ts";
import { reachOf } from "./plan-targets.ts";

test("a chain that calls itself is visited once, even if every call of it creates a new plan", () => {
  const text = [
    "name: loop",
    "input: { n: { type: number } }",
    "steps:",
    "  - id: again",
    "    tool: loop",
    "    condition: ${input.n > 0}",
    "    params: { n: '${input.n - 1}' }",
  ].join("\n");
  const { plan } = planChain({ text, file: "loop.yaml" }, { tools: new ToolRegistry() });
  if (plan === undefined) throw new Error("it has a plan");
  const anew = (): Plan => ({
    ...plan,
    steps: plan.steps.map((step) => ({ ...step, target: { ...step.target, chain: anew } })),
  });
  expect([...reachOf(anew()).chains.keys()]).toEqual(["loop"]);
  expect([...reachOf(anew()).tools.keys()]).toEqual([]);
});

import { type Plan, type StepSpec, planChain } from "../../../chain/index.ts";
import { fromJsonSchema } from "../../../schema/index.ts";
import { type AnyTool, type Registration, defineTool } from "../../../tool/index.ts";
import { type CrewStep, noTool } from "./crew-step.ts";

/** The tools of a crew's chain: each is a program of the run, and cannot be called from outside of it. */
export const crewTools = { call: "crew_call", capability: "crew_capability", reason: "crew_reason" } as const;

/**
 * The steps of a plan as a chain: its references are the dependencies, so that independent steps run concurrently; its
 * fallbacks are the degradation from a tool to its capability to reasoning. A failed step does not stop the others.
 */
export function toChain(steps: readonly CrewStep[], maxParallel: number): Plan {
  const spec = {
    name: "crew",
    max_parallel: Math.max(1, maxParallel),
    steps: steps.map(toStep),
    error_handling: { strategy: "continue" },
  };
  const { plan, problems } = planChain({ spec }, { tools: resolver, taint: "unchecked" });
  if (plan === undefined) throw new Error(`the crew's chain cannot be planned: ${problems[0]?.message}`);
  return plan;
}

function toStep({ id, toolType, dependencies }: CrewStep): StepSpec {
  // The step runs after its dependencies even if they fail: the step is informed of missing results.
  const after = dependencies.map((dependency) => `\${steps.${dependency}.status}`);
  const params = { step: id, after };
  if (toolType === noTool) return { id, tool: crewTools.reason, params };
  const fallback = [
    { tool: crewTools.capability, params: { step: id, after: [] } },
    { tool: crewTools.reason, params: { step: id, after: [] } },
  ];
  return { id, tool: crewTools.call, params, error_handling: { strategy: "fallback|continue", fallback } };
}

const input = fromJsonSchema({
  type: "object",
  properties: { step: { type: "string" }, after: { type: "array" } },
  required: ["step", "after"],
});

function described(name: string, description: string): readonly [string, Registration] {
  const run = (): never => {
    throw new Error(`${name} is a program of its run, and cannot be called`);
  };
  const tool: AnyTool = defineTool({ name, description, effect: "read", input, run });
  return [name, { tool, source: "crew", owner: "crew", priority: 0 }];
}

const registrations: ReadonlyMap<string, Registration> = new Map([
  described(crewTools.call, "Does a step with the tool that the plan names"),
  described(crewTools.capability, "Does a step with another tool of the same capability"),
  described(crewTools.reason, "Does a step by reasoning"),
]);

const resolver = { resolve: (name: string) => registrations.get(name), names: () => registrations.keys() };

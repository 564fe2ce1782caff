import type { DagContender } from "../contender.ts";
import { loadChains, loadSubject } from "../subject.ts";
import type { DagTask } from "./dag-workload.ts";

/** A chain whose steps refer to their dependencies. */
export async function create({ steps, schema, run }: DagTask): Promise<DagContender> {
  const { defineTool, createEngine } = await loadSubject();
  const { loadPlan, runChain } = await loadChains();
  const step = defineTool({ name: "step", description: "Takes its time.", effect: "read", input: schema, run });
  const engine = createEngine({ tools: [step] });
  const plan = await loadPlan(
    {
      name: "graph",
      max_parallel: steps.length,
      steps: steps.map(({ id, ms, needs }) => ({
        id,
        tool: "step",
        params: { ms, values: needs.map((need) => `\${steps.${need}.output.value}`) },
      })),
      output: steps.map(({ id }) => `\${steps.${id}.output.value}`),
    },
    engine,
  );
  return {
    async run() {
      const result = await runChain(plan, { engine });
      if (!result.success) throw new Error(result.error?.message);
      return result.output;
    },
  };
}

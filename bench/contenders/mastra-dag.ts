import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import type { DagContender } from "../contender.ts";
import { type DagStep, type DagTask, levelsOf } from "./dag-workload.ts";

const value = z.object({ value: z.number() });

/** One `.parallel()` per level; a step reads its dependencies by name. zod is called by hand. */
export function create({ steps, schema, run }: DagTask): DagContender {
  const stepOf = ({ id, ms, needs }: DagStep) =>
    createStep({
      id,
      inputSchema: z.unknown(),
      outputSchema: value,
      execute: (step) => {
        const values = needs.map((need) => value.parse(step.getStepResult(need)).value);
        return run(schema.parse({ ms, values }));
      },
    });
  let workflow = createWorkflow({ id: "graph", inputSchema: z.unknown(), outputSchema: z.unknown() });
  for (const level of levelsOf(steps)) workflow = workflow.parallel(level.map(stepOf));
  workflow.commit();
  return {
    async run() {
      const started = await workflow.createRun();
      const result = await started.start({ inputData: {} });
      if (result.status !== "success") throw new Error(`the workflow ended with status ${result.status}`);
      const done = result.steps as unknown as Record<string, { output: { value: number } }>;
      return steps.map(({ id }) => done[id]?.output.value);
    },
  };
}

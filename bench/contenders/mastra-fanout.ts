import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import type { ChainContender } from "../contender.ts";
import { type FanoutTask, type Value, addTool, sumTool, valueSchema } from "./chain-workload.ts";

const schemas = { inputSchema: valueSchema, outputSchema: valueSchema };

/** `.parallel()` with that many steps, or `.foreach()` over a list; then a step that joins. */
export function create({ steps }: FanoutTask, variant: "parallel" | "foreach"): ChainContender {
  return variant === "parallel" ? parallel(steps) : foreach(steps);
}

function parallel(steps: number): ChainContender {
  const each = Array.from({ length: steps }, (_, index) =>
    createStep({ id: `s${index}`, ...schemas, execute: ({ inputData }) => addTool.run(inputData) }),
  );
  const join = createStep({
    id: "join",
    inputSchema: z.record(z.string(), valueSchema),
    outputSchema: valueSchema,
    execute: ({ inputData }) => sum(Object.values(inputData)),
  });
  const workflow = createWorkflow({ id: "parallel", ...schemas })
    .parallel(each)
    .then(join)
    .commit();
  return {
    async run(value) {
      const run = await workflow.createRun();
      const result = await run.start({ inputData: { value } });
      if (result.status !== "success") throw new Error(`the workflow ended with status ${result.status}`);
      return result.result.value;
    },
  };
}

function foreach(steps: number): ChainContender {
  const each = createStep({ id: "each", ...schemas, execute: ({ inputData }) => addTool.run(inputData) });
  const join = createStep({
    id: "join",
    inputSchema: z.array(valueSchema),
    outputSchema: valueSchema,
    execute: ({ inputData }) => sum(inputData),
  });
  const workflow = createWorkflow({ id: "foreach", inputSchema: z.array(valueSchema), outputSchema: valueSchema })
    .foreach(each, { concurrency: steps })
    .then(join)
    .commit();
  return {
    async run(value) {
      const run = await workflow.createRun();
      const result = await run.start({ inputData: Array.from({ length: steps }, () => ({ value })) });
      if (result.status !== "success") throw new Error(`the workflow ended with status ${result.status}`);
      return result.result.value;
    },
  };
}

function sum(given: readonly Value[]): Promise<Value> {
  return sumTool.run(sumTool.schema.parse({ values: given.map(({ value }) => value) }));
}

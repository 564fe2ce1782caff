import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import type { ChainContender } from "../contender.ts";
import {
  type FanoutTask,
  type Given,
  givenOf,
  givenSchema,
  searchTool,
  stepSchema,
  sumTool,
} from "./chain-workload.ts";

const sumSchema = z.object({ value: z.number() });
const schemas = { inputSchema: stepSchema, outputSchema: givenSchema };

/** `.parallel()` with that many steps, or `.foreach()` over a list; then a step that joins. */
export function create({ steps }: FanoutTask, variant: "parallel" | "foreach"): ChainContender {
  return variant === "parallel" ? parallel(steps) : foreach(steps);
}

function parallel(steps: number): ChainContender {
  const each = Array.from({ length: steps }, (_, index) =>
    createStep({ id: `s${index}`, ...schemas, execute: ({ inputData }) => searchTool.run(inputData) }),
  );
  const join = createStep({
    id: "join",
    inputSchema: z.record(z.string(), givenSchema),
    outputSchema: sumSchema,
    execute: ({ inputData }) => sum(Object.values(inputData)),
  });
  const workflow = createWorkflow({ id: "parallel", inputSchema: stepSchema, outputSchema: sumSchema })
    .parallel(each)
    .then(join)
    .commit();
  return {
    async run(value) {
      const run = await workflow.createRun();
      // The type asks for the defaults too, which the schema fills in.
      const result = await run.start({ inputData: givenOf(value) as z.output<typeof stepSchema> });
      if (result.status !== "success") throw new Error(`the workflow ended with status ${result.status}`);
      return result.result.value;
    },
  };
}

function foreach(steps: number): ChainContender {
  const each = createStep({ id: "each", ...schemas, execute: ({ inputData }) => searchTool.run(inputData) });
  const join = createStep({
    id: "join",
    inputSchema: z.array(givenSchema),
    outputSchema: sumSchema,
    execute: ({ inputData }) => sum(inputData),
  });
  const workflow = createWorkflow({ id: "foreach", inputSchema: z.array(givenSchema), outputSchema: sumSchema })
    .foreach(each, { concurrency: steps })
    .then(join)
    .commit();
  return {
    async run(value) {
      const run = await workflow.createRun();
      const result = await run.start({ inputData: Array.from({ length: steps }, () => givenOf(value)) });
      if (result.status !== "success") throw new Error(`the workflow ended with status ${result.status}`);
      return result.result.value;
    },
  };
}

function sum(given: readonly Given[]): Promise<{ value: number }> {
  return sumTool.run(sumTool.schema.parse({ values: given.map(({ value }) => value) }));
}

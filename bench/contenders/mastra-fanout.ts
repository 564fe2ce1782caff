import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import type { ChainContender } from "../contender.ts";
import {
  type FanoutTask,
  type Input,
  inputOf,
  inputSchema,
  searchTool,
  stepSchema,
  sumTool,
} from "./chain-workload.ts";

const sumSchema = z.object({ value: z.number() });
const schemas = { inputSchema: stepSchema, outputSchema: inputSchema };

/** `.parallel()` with one step per item, or `.foreach()` over a list; then a joining step. */
export function create({ steps }: FanoutTask, variant: "parallel" | "foreach"): ChainContender {
  return variant === "parallel" ? parallel(steps) : foreach(steps);
}

function parallel(steps: number): ChainContender {
  const each = Array.from({ length: steps }, (_, index) =>
    createStep({ id: `s${index}`, ...schemas, execute: ({ inputData }) => searchTool.run(inputData) }),
  );
  const join = createStep({
    id: "join",
    inputSchema: z.record(z.string(), inputSchema),
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
      // The type also requires the properties that the schema fills with defaults.
      const result = await run.start({ inputData: inputOf(value) as z.output<typeof stepSchema> });
      if (result.status !== "success") throw new Error(`the workflow ended with status ${result.status}`);
      return result.result.value;
    },
  };
}

function foreach(steps: number): ChainContender {
  const each = createStep({ id: "each", ...schemas, execute: ({ inputData }) => searchTool.run(inputData) });
  const join = createStep({
    id: "join",
    inputSchema: z.array(inputSchema),
    outputSchema: sumSchema,
    execute: ({ inputData }) => sum(inputData),
  });
  const workflow = createWorkflow({ id: "foreach", inputSchema: z.array(inputSchema), outputSchema: sumSchema })
    .foreach(each, { concurrency: steps })
    .then(join)
    .commit();
  return {
    async run(value) {
      const run = await workflow.createRun();
      const result = await run.start({ inputData: Array.from({ length: steps }, () => inputOf(value)) });
      if (result.status !== "success") throw new Error(`the workflow ended with status ${result.status}`);
      return result.result.value;
    },
  };
}

function sum(input: readonly Input[]): Promise<{ value: number }> {
  return sumTool.run(sumTool.schema.parse({ values: input.map(({ value }) => value) }));
}

import { createStep, createWorkflow } from "@mastra/core/workflows";
import type { z } from "zod";
import type { ChainContender } from "../contender.ts";
import { type SequenceTask, inputOf, inputSchema } from "./chain-workload.ts";

/** A workflow of consecutive `.then()` steps. */
export function create({ tool, steps }: SequenceTask): ChainContender {
  const schemas = { inputSchema: tool.schema, outputSchema: inputSchema };
  let workflow = createWorkflow({ id: "sequence", ...schemas });
  for (let index = 0; index < steps; index++) {
    const step = createStep({ id: `s${index}`, ...schemas, execute: ({ inputData }) => tool.run(inputData) });
    workflow = workflow.then(step);
  }
  workflow.commit();
  return {
    async run(value) {
      const run = await workflow.createRun();
      // The type also requires the properties that the schema fills with defaults.
      const result = await run.start({ inputData: inputOf(value) as z.output<typeof tool.schema> });
      if (result.status !== "success") throw new Error(`the workflow ended with status ${result.status}`);
      return result.result.value;
    },
  };
}

import { createStep, createWorkflow } from "@mastra/core/workflows";
import type { z } from "zod";
import type { ChainContender } from "../contender.ts";
import { type SequenceTask, givenOf, givenSchema } from "./chain-workload.ts";

/** A workflow of `.then()` after `.then()`. */
export function create({ tool, steps }: SequenceTask): ChainContender {
  const schemas = { inputSchema: tool.schema, outputSchema: givenSchema };
  let workflow = createWorkflow({ id: "sequence", ...schemas });
  for (let index = 0; index < steps; index++) {
    const step = createStep({ id: `s${index}`, ...schemas, execute: ({ inputData }) => tool.run(inputData) });
    workflow = workflow.then(step);
  }
  workflow.commit();
  return {
    async run(value) {
      const run = await workflow.createRun();
      // The type asks for the defaults too, which the schema fills in.
      const result = await run.start({ inputData: givenOf(value) as z.output<typeof tool.schema> });
      if (result.status !== "success") throw new Error(`the workflow ended with status ${result.status}`);
      return result.result.value;
    },
  };
}

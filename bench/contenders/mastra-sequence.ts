import { createStep, createWorkflow } from "@mastra/core/workflows";
import type { ChainContender } from "../contender.ts";
import type { SequenceTask } from "./chain-workload.ts";

/** A workflow of `.then()` after `.then()`. */
export function create({ tool, steps }: SequenceTask): ChainContender {
  const schemas = { inputSchema: tool.schema, outputSchema: tool.schema };
  let workflow = createWorkflow({ id: "sequence", ...schemas });
  for (let index = 0; index < steps; index++) {
    const step = createStep({ id: `s${index}`, ...schemas, execute: ({ inputData }) => tool.run(inputData) });
    workflow = workflow.then(step);
  }
  workflow.commit();
  return {
    async run(value) {
      const run = await workflow.createRun();
      const result = await run.start({ inputData: { value } });
      if (result.status !== "success") throw new Error(`the workflow ended with status ${result.status}`);
      return result.result.value;
    },
  };
}

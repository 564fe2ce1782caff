import type { ChainContender } from "../contender.ts";
import { type Input, type SequenceTask, inputOf } from "./chain-workload.ts";
import { guarded, outputOf } from "./guarded.ts";

/** Guarded calls, awaited one after the other. */
export function create({ tool, steps }: SequenceTask): ChainContender {
  const call = guarded(new Map([[tool.name, tool]]), 1000);
  return {
    async run(value) {
      let input = inputOf(value);
      for (let step = 0; step < steps; step++) input = outputOf(await call(tool.name, input)) as Input;
      return input.value;
    },
  };
}

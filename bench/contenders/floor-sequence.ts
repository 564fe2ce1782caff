import type { ChainContender } from "../contender.ts";
import { type Given, type SequenceTask, givenOf } from "./chain-workload.ts";
import { guarded, outputOf } from "./guarded.ts";

/** Guarded calls, one awaited after the other. */
export function create({ tool, steps }: SequenceTask): ChainContender {
  const call = guarded(new Map([[tool.name, tool]]), 1000);
  return {
    async run(value) {
      let given = givenOf(value);
      for (let step = 0; step < steps; step++) given = outputOf(await call(tool.name, given)) as Given;
      return given.value;
    },
  };
}

import type { ChainContender } from "../contender.ts";
import { type FanoutTask, type Value, addTool, sumTool } from "./chain-workload.ts";
import { type HandTool, guarded, outputOf } from "./guarded.ts";

/** Guarded calls under `Promise.all`, and one more with what they gave. */
export function create({ steps }: FanoutTask): ChainContender {
  const tools = new Map<string, HandTool>([
    [addTool.name, addTool],
    [sumTool.name, sumTool],
  ]);
  const call = guarded(tools, steps);
  return {
    async run(value) {
      const calls = Array.from({ length: steps }, async () => outputOf(await call(addTool.name, { value })) as Value);
      const values = (await Promise.all(calls)).map((given) => given.value);
      return (outputOf(await call(sumTool.name, { values })) as Value).value;
    },
  };
}

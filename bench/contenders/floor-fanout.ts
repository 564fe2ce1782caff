import type { ChainContender } from "../contender.ts";
import { type FanoutTask, type Given, givenOf, searchTool, sumTool } from "./chain-workload.ts";
import { type HandTool, guarded, outputOf } from "./guarded.ts";

/** Guarded calls under `Promise.all`, and one more with what they gave. */
export function create({ steps }: FanoutTask): ChainContender {
  const tools = new Map<string, HandTool>([
    [searchTool.name, searchTool],
    [sumTool.name, sumTool],
  ]);
  const call = guarded(tools, steps);
  return {
    async run(value) {
      const { query } = givenOf(value);
      const one = async (): Promise<Given> => outputOf(await call(searchTool.name, { query, value })) as Given;
      const values = (await Promise.all(Array.from({ length: steps }, one))).map((given) => given.value);
      return (outputOf(await call(sumTool.name, { values })) as Given).value;
    },
  };
}

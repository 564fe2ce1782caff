import type { ChainContender } from "../contender.ts";
import { type FanoutTask, type Input, inputOf, searchTool, sumTool } from "./chain-workload.ts";
import { type HandTool, guarded, outputOf } from "./guarded.ts";

/** Guarded calls under `Promise.all`, and one more call with their outputs. */
export function create({ steps }: FanoutTask): ChainContender {
  const tools = new Map<string, HandTool>([
    [searchTool.name, searchTool],
    [sumTool.name, sumTool],
  ]);
  const call = guarded(tools, steps);
  return {
    async run(value) {
      const { query } = inputOf(value);
      const one = async (): Promise<Input> => outputOf(await call(searchTool.name, { query, value })) as Input;
      const values = (await Promise.all(Array.from({ length: steps }, one))).map((input) => input.value);
      return (outputOf(await call(sumTool.name, { values })) as Input).value;
    },
  };
}

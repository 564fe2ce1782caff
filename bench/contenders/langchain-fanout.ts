import { type Runnable, RunnableLambda, RunnableMap } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import type { ChainContender } from "../contender.ts";
import { type FanoutTask, type Input, inputOf, searchTool, sumTool } from "./chain-workload.ts";

/** A map with one tool per step, or `batch()` of one tool; then a joining tool. */
export function create({ steps }: FanoutTask, variant: "map" | "batch"): ChainContender {
  const { run, ...about } = searchTool;
  const { run: addUp, ...aboutSum } = sumTool;
  // Called with plain arguments instead of a tool call, they return the results of the functions.
  const search = tool(run, about) as unknown as Runnable<Input, Input>;
  const sum = tool(addUp, aboutSum) as unknown as Runnable<{ values: number[] }, Input>;
  if (variant === "batch") {
    return {
      async run(value) {
        const input = await search.batch(Array.from({ length: steps }, () => inputOf(value)));
        return (await sum.invoke({ values: input.map((one) => one.value) })).value;
      },
    };
  }
  const each = RunnableMap.from<Input>(
    Object.fromEntries(Array.from({ length: steps }, (_, at) => [`s${at}`, search])),
  );
  const values = (input: Record<string, Input>) => ({ values: Object.values(input).map((one) => one.value) });
  const chain = each.pipe(RunnableLambda.from(values)).pipe(sum);
  return { run: async (value) => (await chain.invoke(inputOf(value))).value };
}

import { type Runnable, RunnableLambda, RunnableMap } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import type { ChainContender } from "../contender.ts";
import { type FanoutTask, type Value, addTool, sumTool } from "./chain-workload.ts";

/** A map with that many tools, or `batch()` of one tool; then a tool that joins. */
export function create({ steps }: FanoutTask, variant: "map" | "batch"): ChainContender {
  const { run, ...about } = addTool;
  const { run: addUp, ...aboutSum } = sumTool;
  // Given plain arguments, not a model's call, they give what the functions give.
  const add = tool(run, about) as unknown as Runnable<Value, Value>;
  const sum = tool(addUp, aboutSum) as unknown as Runnable<{ values: number[] }, Value>;
  if (variant === "batch") {
    return {
      async run(value) {
        const given = await add.batch(Array.from({ length: steps }, () => ({ value })));
        return (await sum.invoke({ values: given.map((one) => one.value) })).value;
      },
    };
  }
  const each = RunnableMap.from<Value>(Object.fromEntries(Array.from({ length: steps }, (_, at) => [`s${at}`, add])));
  const values = (given: Record<string, Value>) => ({ values: Object.values(given).map((one) => one.value) });
  const chain = each.pipe(RunnableLambda.from(values)).pipe(sum);
  return { run: async (value) => (await chain.invoke({ value })).value };
}

import { type Runnable, RunnableLambda, RunnableMap } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import type { ChainContender } from "../contender.ts";
import { type FanoutTask, type Given, givenOf, searchTool, sumTool } from "./chain-workload.ts";

/** A map with that many tools, or `batch()` of one tool; then a tool that joins. */
export function create({ steps }: FanoutTask, variant: "map" | "batch"): ChainContender {
  const { run, ...about } = searchTool;
  const { run: addUp, ...aboutSum } = sumTool;
  // Given plain arguments, not a model's call, they give what the functions give.
  const search = tool(run, about) as unknown as Runnable<Given, Given>;
  const sum = tool(addUp, aboutSum) as unknown as Runnable<{ values: number[] }, Given>;
  if (variant === "batch") {
    return {
      async run(value) {
        const given = await search.batch(Array.from({ length: steps }, () => givenOf(value)));
        return (await sum.invoke({ values: given.map((one) => one.value) })).value;
      },
    };
  }
  const each = RunnableMap.from<Given>(
    Object.fromEntries(Array.from({ length: steps }, (_, at) => [`s${at}`, search])),
  );
  const values = (given: Record<string, Given>) => ({ values: Object.values(given).map((one) => one.value) });
  const chain = each.pipe(RunnableLambda.from(values)).pipe(sum);
  return { run: async (value) => (await chain.invoke(givenOf(value))).value };
}

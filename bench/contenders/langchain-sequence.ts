import { type Runnable, RunnableSequence } from "@langchain/core/runnables";
import { tool as makeTool } from "@langchain/core/tools";
import type { ChainContender } from "../contender.ts";
import { type Input, type SequenceTask, inputOf } from "./chain-workload.ts";

/** Tools are runnables: one is piped into the next. */
export function create({ tool, steps }: SequenceTask): ChainContender {
  const { name, description, schema, run } = tool;
  // Called with plain arguments instead of a tool call, it returns the result of the function.
  const step = makeTool(run, { name, description, schema }) as unknown as Runnable<Input, Input>;
  const [first, ...rest] = Array.from({ length: steps }, () => step);
  const last = rest.pop();
  if (first === undefined || last === undefined) throw new Error("a sequence has two steps or more");
  const sequence = RunnableSequence.from<Input, Input>([first, ...rest, last]);
  return { run: async (value) => (await sequence.invoke(inputOf(value))).value };
}

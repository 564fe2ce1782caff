import { type Runnable, RunnableSequence } from "@langchain/core/runnables";
import { tool as makeTool } from "@langchain/core/tools";
import type { ChainContender } from "../contender.ts";
import { type Given, type SequenceTask, givenOf } from "./chain-workload.ts";

/** Tools are runnables: one is piped into the next. */
export function create({ tool, steps }: SequenceTask): ChainContender {
  const { name, description, schema, run } = tool;
  // Given plain arguments, not a model's call, it gives what the function gives.
  const step = makeTool(run, { name, description, schema }) as unknown as Runnable<Given, Given>;
  const [first, ...rest] = Array.from({ length: steps }, () => step);
  const last = rest.pop();
  if (first === undefined || last === undefined) throw new Error("a sequence has two steps or more");
  const sequence = RunnableSequence.from<Given, Given>([first, ...rest, last]);
  return { run: async (value) => (await sequence.invoke(givenOf(value))).value };
}

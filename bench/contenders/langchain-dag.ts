import { type Runnable, RunnableLambda, RunnablePassthrough, RunnableSequence } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import type { DagContender } from "../contender.ts";
import { type DagStep, type DagTask, levelsOf } from "./dag-workload.ts";

type State = Record<string, { readonly value: number }>;

/**
 * One `RunnablePassthrough.assign()` per level: its steps run in parallel, and their outputs are merged into the state.
 */
export function create({ steps, schema, run }: DagTask): DagContender {
  // Called with plain arguments instead of a tool call, it returns the result of the function.
  const step = tool(run, { name: "step", description: "Takes its time.", schema }) as unknown as Runnable<
    Parameters<typeof run>[0],
    State[string]
  >;
  const argsFor = ({ ms, needs }: DagStep) =>
    RunnableLambda.from((state: State) => ({ ms, values: needs.map((need) => state[need]?.value ?? Number.NaN) }));
  const level = (all: readonly DagStep[]) =>
    RunnablePassthrough.assign<State, State>(Object.fromEntries(all.map((one) => [one.id, argsFor(one).pipe(step)])));
  const [first, ...rest] = levelsOf(steps).map(level);
  const last = rest.pop();
  if (first === undefined || last === undefined) throw new Error("a graph has two levels or more");
  const chain = RunnableSequence.from<State, State>([first, ...rest, last]);
  return {
    async run() {
      const state = await chain.invoke({});
      return steps.map(({ id }) => state[id]?.value);
    },
  };
}

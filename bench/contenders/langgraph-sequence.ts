import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import type { ChainContender } from "../contender.ts";
import { type Input, type SequenceTask, inputOf } from "./chain-workload.ts";

/** A graph with a node per step and an edge to the next; zod is called by hand. No checkpointer. */
export function create({ tool, steps }: SequenceTask): ChainContender {
  const names = Array.from({ length: steps }, (_, index) => `s${index}`);
  const node = (state: Input): Promise<Input> => tool.run(tool.schema.parse(state));
  const nodes = names.map((name): [string, typeof node] => [name, node]);
  const graph = new StateGraph(Annotation.Root({ query: Annotation<string>, value: Annotation<number> })).addNode(
    nodes,
  );
  for (const [index, name] of names.entries()) graph.addEdge(names[index - 1] ?? START, name);
  const app = graph.addEdge(`s${steps - 1}`, END).compile();
  return { run: async (value) => (await app.invoke(inputOf(value), { recursionLimit: steps + 1 })).value };
}

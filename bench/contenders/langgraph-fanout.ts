import { Annotation, END, START, Send, StateGraph } from "@langchain/langgraph";
import type { ChainContender } from "../contender.ts";
import { type FanoutTask, type Value, addTool, sumTool } from "./chain-workload.ts";

/** The way to map and reduce: a `Send` per step to one node, an edge to the node that joins. zod is called by hand. */
export function create({ steps }: FanoutTask): ChainContender {
  const State = Annotation.Root({
    value: Annotation<number>,
    values: Annotation<number[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
  });
  const app = new StateGraph(State)
    .addNode("step", async (state: Value) => ({ values: [(await addTool.run(addTool.schema.parse(state))).value] }))
    .addNode("join", (state) => sumTool.run(sumTool.schema.parse(state)))
    .addConditionalEdges(START, ({ value }) => Array.from({ length: steps }, () => new Send("step", { value })), [
      "step",
    ])
    .addEdge("step", "join")
    .addEdge("join", END)
    .compile();
  return { run: async (value) => (await app.invoke({ value })).value };
}

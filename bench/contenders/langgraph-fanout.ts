import { Annotation, END, START, Send, StateGraph } from "@langchain/langgraph";
import type { ChainContender } from "../contender.ts";
import { type FanoutTask, type Input, inputOf, searchTool, sumTool } from "./chain-workload.ts";

/** Map and reduce: one `Send` per step to the same node, and an edge to the joining node. zod is called by hand. */
export function create({ steps }: FanoutTask): ChainContender {
  const State = Annotation.Root({
    query: Annotation<string>,
    value: Annotation<number>,
    values: Annotation<number[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
  });
  const app = new StateGraph(State)
    .addNode("step", async (state: Input) => ({
      values: [(await searchTool.run(searchTool.schema.parse(state))).value],
    }))
    .addNode("join", (state) => sumTool.run(sumTool.schema.parse(state)))
    .addConditionalEdges(
      START,
      ({ query, value }) => Array.from({ length: steps }, () => new Send("step", { query, value })),
      ["step"],
    )
    .addEdge("step", "join")
    .addEdge("join", END)
    .compile();
  return { run: async (value) => (await app.invoke(inputOf(value))).value };
}

import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import type { DagContender } from "../contender.ts";
import type { DagStep, DagTask } from "./dag-workload.ts";

type Values = Record<string, number>;

/** A node per step, with an edge from each dependency; zod is called by hand. */
export function create({ steps, schema, run }: DagTask): DagContender {
  const State = Annotation.Root({
    values: Annotation<Values>({ reducer: (before, more) => ({ ...before, ...more }), default: () => ({}) }),
  });
  const nodeOf = ({ id, ms, needs }: DagStep) => {
    return async ({ values }: { values: Values }): Promise<{ values: Values }> => {
      const { value } = await run(schema.parse({ ms, values: needs.map((need) => values[need]) }));
      return { values: { [id]: value } };
    };
  };
  const nodes = steps.map((step): [string, ReturnType<typeof nodeOf>] => [step.id, nodeOf(step)]);
  const graph = new StateGraph(State).addNode(nodes);
  const needed = new Set(steps.flatMap(({ needs }) => needs));
  for (const { id, needs } of steps) {
    if (needs.length === 0) graph.addEdge(START, id);
    else graph.addEdge([...needs], id);
    if (!needed.has(id)) graph.addEdge(id, END);
  }
  const app = graph.compile();
  return {
    async run() {
      const { values } = await app.invoke({}, { recursionLimit: steps.length + 1 });
      return steps.map(({ id }) => values[id]);
    },
  };
}

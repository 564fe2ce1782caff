import { expect, test } from "vitest";
import type { ChainGraph } from "./graph.ts";
import { toGraphJson } from "./to-graph-json.ts";

test("names are in snake_case, and nothing is lost", () => {
  const graph: ChainGraph = {
    name: "n",
    description: "d",
    version: "1.0.0",
    nodes: [
      { key: "input", kind: "input", fields: ["x"] },
      {
        key: "steps.a",
        kind: "tool",
        id: "a",
        tool: "t",
        effect: "read",
        forEach: { items: "input.x", concurrency: 2 },
        cacheMs: 1000,
        timeoutMs: 5,
        retry: 3,
        fallbacks: [{ tool: "f", kind: "tool" }],
      },
    ],
    edges: [{ from: "input", to: "steps.a", kind: "data", reads: ["x"], label: "x" }],
    fallbacks: [],
  };
  const json = toGraphJson(graph);
  expect(JSON.parse(JSON.stringify(json))).toEqual({
    ...graph,
    nodes: [
      graph.nodes[0],
      {
        key: "steps.a",
        kind: "tool",
        id: "a",
        tool: "t",
        effect: "read",
        retry: 3,
        for_each: { items: "input.x", concurrency: 2 },
        cache_ms: 1000,
        timeout_ms: 5,
        fallbacks: [{ tool: "f", kind: "tool" }],
      },
    ],
  });
});

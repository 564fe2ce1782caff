import { definedOnly } from "../../base/index.ts";
import { type ChainGraph, type GraphNode, type GraphPort, type GraphStep, isStep } from "./graph.ts";

/** A node in the JSON format. */
export type JsonNode = GraphPort | JsonStep;

interface JsonStep extends Omit<GraphStep, "forEach" | "cacheMs" | "timeoutMs"> {
  readonly for_each?: GraphStep["forEach"];
  readonly cache_ms?: number;
  readonly timeout_ms?: number;
}

/** A graph in the JSON format: plain data with names in snake_case. */
export interface JsonGraph extends Omit<ChainGraph, "nodes"> {
  readonly nodes: readonly JsonNode[];
}

/**
 * A graph as JSON data, for other programs.
 *
 * @example
 * ```ts
 * JSON.stringify(toGraphJson(chainGraph(plan)), null, 2);
 * ```
 */
export function toGraphJson(graph: ChainGraph): JsonGraph {
  return { ...graph, nodes: graph.nodes.map(jsonNode) };
}

function jsonNode(node: GraphNode): JsonNode {
  if (!isStep(node)) return node;
  const { forEach, cacheMs, timeoutMs, fallbacks, ...same } = node;
  return {
    ...same,
    ...definedOnly({ for_each: forEach, cache_ms: cacheMs, timeout_ms: timeoutMs }),
    fallbacks,
  };
}

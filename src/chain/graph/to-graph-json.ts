import {
  type ChainGraph,
  type GraphEdgeKind,
  type GraphEffect,
  type GraphFallback,
  type GraphNode,
  isStep,
} from "./graph.ts";

/** A node in the JSON format. */
export type JsonNode =
  | { readonly key: string; readonly kind: "input" | "output"; readonly fields: readonly string[] }
  | {
      readonly key: string;
      readonly kind: "tool" | "chain";
      readonly id: string;
      readonly tool: string;
      readonly description?: string;
      readonly effect: GraphEffect;
      readonly condition?: string;
      readonly for_each?: { readonly items: string; readonly concurrency: number };
      readonly repeat?: { readonly until: string; readonly max: number };
      readonly retry?: number;
      readonly cache_ms?: number;
      readonly approval?: string;
      readonly compensate?: string;
      readonly timeout_ms?: number;
      readonly fallbacks: readonly GraphFallback[];
    };

/** A graph in the JSON format: plain data with names in snake_case. */
export interface JsonGraph {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly nodes: readonly JsonNode[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly kind: GraphEdgeKind;
    readonly reads: readonly string[];
    readonly label?: string;
  }[];
  readonly fallbacks: readonly GraphFallback[];
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
  const { name, description, version, nodes, edges, fallbacks } = graph;
  return { name, description, version, nodes: nodes.map(jsonNode), edges, fallbacks };
}

function jsonNode(node: GraphNode): JsonNode {
  if (!isStep(node)) return node;
  const { forEach, cacheMs, timeoutMs, fallbacks, ...same } = node;
  return {
    ...same,
    ...(forEach !== undefined && { for_each: forEach }),
    ...(cacheMs !== undefined && { cache_ms: cacheMs }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    fallbacks,
  };
}

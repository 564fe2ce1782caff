import type { Effect } from "../../tool/index.ts";

/** The effect of a step; `varies` where it depends on the arguments of the call. */
export type GraphEffect = Effect | "varies";

/** A tool or a chain that stands in for a step that failed. */
export interface GraphFallback {
  readonly tool: string;
  readonly kind: "tool" | "chain";
  readonly condition?: string;
}

/** A step of a chain, with what a reader wants to see at a glance. */
export interface GraphStep {
  /** Unique among the nodes: `steps.ID`. */
  readonly key: string;
  /** Does the step call a tool, or another chain? */
  readonly kind: "tool" | "chain";
  readonly id: string;
  readonly tool: string;
  readonly description?: string;
  readonly effect: GraphEffect;
  /** Expressions are shown without their `${…}`. */
  readonly condition?: string;
  readonly forEach?: { readonly items: string; readonly concurrency: number };
  readonly repeat?: { readonly until: string; readonly max: number };
  /** Further attempts after the first. */
  readonly retry?: number;
  readonly cacheMs?: number;
  /** What the person who has to approve is asked. */
  readonly approval?: string;
  /** What undoes the step when the run is aborted. */
  readonly compensate?: string;
  readonly timeoutMs?: number;
  /** Those of this step; what stands in for every step is in {@link ChainGraph.fallbacks}. */
  readonly fallbacks: readonly GraphFallback[];
}

/** What goes into a chain, or what comes out of it. */
export interface GraphPort {
  readonly key: "input" | "output";
  readonly kind: "input" | "output";
  /** Names of the inputs or outputs; none where the chain names none. */
  readonly fields: readonly string[];
}

/** A node of a {@link ChainGraph}; `kind` tells which. */
export type GraphNode = GraphStep | GraphPort;

/** Is this node a step? */
export function isStep(node: GraphNode): node is GraphStep {
  return node.kind === "tool" || node.kind === "chain";
}

/**
 * Why a node comes after another:
 * - `data`: it reads what the other gave;
 * - `condition`: whether it runs depends on the other;
 * - `order`: it was told to wait.
 */
export type GraphEdgeKind = "data" | "condition" | "order";

/** A connection between two nodes; at most one for each pair. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: GraphEdgeKind;
  /** What is read, as the language writes it after the node's name: `output[*].url`; of the input, `topic`. */
  readonly reads: readonly string[];
  /** What to write beside the line, where it says more than that there is one. */
  readonly label?: string;
}

/** A chain as nodes and connections, to be drawn. */
export interface ChainGraph {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** The input, the steps in the order of the file, the output; a port only where something is connected to it. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Stand-ins for every step that has none of its own. */
  readonly fallbacks: readonly GraphFallback[];
}

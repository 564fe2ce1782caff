import type { Effect } from "../../tool/index.ts";

/** The effect of a step; `varies` if it depends on the arguments of the call. */
export type GraphEffect = Effect | "varies";

/** A tool or a chain that replaces a step that failed. */
export interface GraphFallback {
  readonly tool: string;
  readonly kind: "tool" | "chain";
  readonly condition?: string;
}

/** A step of a chain, with the facts that a picture shows. */
export interface GraphStep {
  /** Unique among the nodes: `steps.ID`. */
  readonly key: string;
  /** The step calls a tool, or another chain. */
  readonly kind: "tool" | "chain";
  readonly id: string;
  readonly tool: string;
  /** For a step that waits: `3d`, or `for payment, at most 7d`. */
  readonly wait?: string;
  readonly description?: string;
  readonly effect: GraphEffect;
  /** Expressions are shown without their `${…}`. */
  readonly condition?: string;
  readonly forEach?: { readonly items: string; readonly concurrency: number };
  readonly repeat?: { readonly until: string; readonly max: number };
  /** Maximum number of retries. */
  readonly retry?: number;
  readonly cacheMs?: number;
  /** Message shown to the approver. */
  readonly approval?: string;
  /** Tool that compensates the step when the run is aborted. */
  readonly compensate?: string;
  readonly timeoutMs?: number;
  /** Fallbacks of this step; those for every step are in {@link ChainGraph.fallbacks}. */
  readonly fallbacks: readonly GraphFallback[];
}

/** Input or output of a chain. */
export interface GraphPort {
  readonly key: "input" | "output";
  readonly kind: "input" | "output";
  /** Names of the inputs or outputs; empty if the chain declares none. */
  readonly fields: readonly string[];
}

/** A node of a {@link ChainGraph}; `kind` discriminates. */
export type GraphNode = GraphStep | GraphPort;

/** True if this node is a step. */
export function isStep(node: GraphNode): node is GraphStep {
  return node.kind === "tool" || node.kind === "chain";
}

/**
 * Why a node comes after another:
 * - `data`: it reads the other's output;
 * - `condition`: whether it runs depends on the other;
 * - `order`: it is declared to wait.
 */
export type GraphEdgeKind = "data" | "condition" | "order";

/** A connection between two nodes; at most one for each pair. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: GraphEdgeKind;
  /**
   * References that are read, as the language writes them after the node's name: `output[*].url`; of the input,
   * `topic`.
   */
  readonly reads: readonly string[];
  /** Text beside the line, if it says more than that there is one. */
  readonly label?: string;
}

/** A chain as nodes and connections, to be drawn. */
export interface ChainGraph {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** The input, the steps in the order of the file, the output; a port only if something is connected to it. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Fallbacks for every step that has none of its own. */
  readonly fallbacks: readonly GraphFallback[];
}

import { assignRows } from "./assign-rows.ts";
import { drawableEdges } from "./drawable-edges.ts";
import { type LayeredGraph, type LayoutEdge, type LayoutNode, layeredGraph } from "./layered-graph.ts";
import { orderRows } from "./order-rows.ts";
import { placeColumns } from "./place-columns.ts";

/** A stretch of a line within one row: straight down from `top` to `bottom`. */
export interface Stop {
  readonly id: number;
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** Where everything stands. The drawing begins at 0,0. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Axis and upper edge of each box. */
  readonly boxes: readonly { readonly x: number; readonly y: number }[];
  /**
   * For each edge the stops of its line from top to bottom; between two stops there is nothing but lines.
   * Empty where the edge is not drawn.
   */
  readonly lines: readonly (readonly Stop[])[];
}

/** How boxes are laid out. */
export interface LayoutOptions {
  /** Rows wider than this are broken where their boxes are. */
  readonly maxRowWidth: number;
  /** Room between two rows that lines lead straight through. */
  readonly rowGap: number;
}

/** Places boxes in rows so that every line leads down, few cross, and none runs through a box. */
export function layOut(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[], options: LayoutOptions): Layout {
  const row = assignRows(nodes, edges, options.maxRowWidth);
  const drawable = drawableEdges(edges, row);
  const graph = layeredGraph(
    nodes,
    drawable.flatMap((at) => edges[at] ?? []),
    row,
  );
  orderRows(graph);
  const x = placeColumns(graph);
  const { width, shift } = extentOf(graph, x);
  const bands = bandsOf(graph, { nodes, x, gap: options.rowGap });
  const stop = (id: number): Stop => ({ id, x: (x[id] ?? 0) + shift, ...(bands.stops[id] ?? nowhere) });
  const lines: Stop[][] = edges.map(() => []);
  for (const [index, at] of drawable.entries()) lines[at] = (graph.routes[index] ?? []).map((id) => stop(id));
  const boxes = nodes.map((_, id) => ({ x: (x[id] ?? 0) + shift, y: bands.stops[id]?.top ?? 0 }));
  return { width, height: bands.height, boxes, lines };
}

function extentOf(graph: LayeredGraph, x: readonly number[]): { width: number; shift: number } {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const [id, at] of x.entries()) {
    from = Math.min(from, at - (graph.left[id] ?? 0));
    to = Math.max(to, at + (graph.right[id] ?? 0));
  }
  return x.length === 0 ? { width: 0, shift: 0 } : { width: to - from, shift: -from };
}

const nowhere = { top: 0, bottom: 0 };

interface Bands {
  readonly height: number;
  readonly stops: readonly { readonly top: number; readonly bottom: number }[];
}

/** The height of every row, and of the gaps between them: the further lines lead aside, the more room they get. */
function bandsOf(
  graph: LayeredGraph,
  { nodes, x, gap }: { nodes: readonly LayoutNode[]; x: readonly number[]; gap: number },
): Bands {
  const stops = graph.left.map(() => nowhere);
  let y = 0;
  for (const [at, row] of graph.rows.entries()) {
    let height = 0;
    let aside = 0;
    for (const id of row) {
      height = Math.max(height, nodes[id]?.height ?? 0);
      for (const lower of graph.below[id] ?? []) aside = Math.max(aside, Math.abs((x[id] ?? 0) - (x[lower] ?? 0)));
    }
    for (const id of row) stops[id] = { top: y, bottom: y + height };
    y += height;
    if (at < graph.rows.length - 1) y += gap + Math.min(gap * 2, aside * 0.08);
  }
  return { height: y, stops };
}

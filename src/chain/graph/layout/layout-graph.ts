import { assignRows } from "./assign-rows.ts";
import { drawableEdges } from "./drawable-edges.ts";
import { listAt, numberAt } from "./array-access.ts";
import { type LayeredGraph, type LayoutEdge, type LayoutNode, layeredGraph } from "./layered-graph.ts";
import { orderRows } from "./order-rows.ts";
import { alignColumns, spanOf } from "./align-columns.ts";
import { columnDistance } from "./column-distance.ts";
import { settleColumns } from "./settle-columns.ts";

/** A stretch of a line within one row: straight down from `top` to `bottom`. */
export interface VerticalSegment {
  readonly id: number;
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** Positions of all nodes and lines. The drawing begins at 0,0. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Axis and upper edge of each box. */
  readonly boxes: readonly { readonly x: number; readonly y: number }[];
  /**
   * For each edge the stops of its line from top to bottom; between two stops there is nothing but lines.
   * Empty where the edge is not drawn.
   */
  readonly lines: readonly (readonly VerticalSegment[])[];
}

/** Options of the layout. */
export interface LayoutOptions {
  /** Rows wider than this are split between boxes. */
  readonly maxRowWidth: number;
  /** Gap between two rows that lines lead straight through. */
  readonly rowGap: number;
}

/** Arranges boxes in rows so that every line leads down, few cross, and none runs through a box. */
export function layOut(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[], options: LayoutOptions): Layout {
  const row = assignRows(nodes, edges, options.maxRowWidth);
  const drawable = drawableEdges(edges, row);
  const chosen = drawable.flatMap((at) => edges[at] ?? []);
  const graph = layeredGraph(nodes, chosen, row);
  orderRows(graph);
  const { x, width } = positionColumns(graph);
  const { height, bands } = bandsOf(graph, { nodes, x, gap: options.rowGap });
  const stops = graph.rows.flatMap((ids, at) =>
    ids.map((id) => ({ id, x: numberAt(x, id), ...(bands[at] ?? nowhere) })),
  );
  stops.sort((a, b) => a.id - b.id);
  const lines: VerticalSegment[][] = edges.map(() => []);
  for (const [index, at] of drawable.entries())
    lines[at] = listAt(graph.routes, index).flatMap((id) => stops[id] ?? []);
  const boxes = stops.slice(0, nodes.length).map((stop) => ({ x: stop.x, y: stop.top }));
  return { width, height, boxes, lines };
}

interface Band {
  readonly top: number;
  readonly bottom: number;
}

const nowhere: Band = { top: 0, bottom: 0 };

/** Vertical extent of each row: the more lines lead aside below it, the larger the gap. */
function bandsOf(
  graph: LayeredGraph,
  { nodes, x, gap }: { nodes: readonly LayoutNode[]; x: readonly number[]; gap: number },
): { height: number; bands: Band[] } {
  const bands: Band[] = [];
  let y = 0;
  for (const row of graph.rows) {
    let height = 0;
    let aside = 0;
    for (const id of row) {
      height = Math.max(height, nodes[id]?.height ?? 0);
      for (const lower of listAt(graph.below, id))
        aside = Math.max(aside, Math.abs(numberAt(x, id) - numberAt(x, lower)));
    }
    bands.push({ top: y, bottom: y + height });
    y += height + gap + Math.min(gap * 2, aside * 0.08);
  }
  return { height: bands.at(-1)?.bottom ?? 0, bands };
}

/** Minimum picture width for which width matters. */
const narrow = 600;

/** Sets all axes so that lines are straight, unless that makes the picture much wider than its widest row. */
function positionColumns(graph: LayeredGraph): { readonly x: readonly number[]; readonly width: number } {
  const straight = alignColumns(graph);
  let min = narrow;
  for (const row of graph.rows) min = Math.max(min, packedWidth(graph, row));
  const { from, to } = spanOf(graph, straight);
  const x = to - from > min * 1.6 ? settleColumns(graph) : straight;
  const span = spanOf(graph, x);
  return { x: x.map((at) => at - span.from), width: span.to - span.from };
}

function packedWidth(graph: LayeredGraph, row: readonly number[]): number {
  let width = 0;
  for (const [index, id] of row.entries()) {
    const before = row[index - 1];
    if (before !== undefined) width += columnDistance(graph, before, id);
  }
  return width;
}

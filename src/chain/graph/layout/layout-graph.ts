import { assignRows, packedOffsets, settleColumns } from "./assign-rows.ts";
import {
  listAt,
  numberAt,
  type LayeredGraph,
  type LayoutEdge,
  type LayoutNode,
  layeredGraph,
  trunkOf,
} from "./layered-graph.ts";
import { orderRows } from "./order-rows.ts";
import { alignColumns, spanOf } from "./align-columns.ts";

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
  for (const row of graph.rows) min = Math.max(min, packedOffsets(graph, row).at(-1) ?? 0);
  const { from, to } = spanOf(graph, straight);
  const x = to - from > min * 1.6 ? settleColumns(graph) : straight;
  const span = spanOf(graph, x);
  return { x: x.map((at) => at - span.from), width: span.to - span.from };
}

/** With more bends than this a picture omits lines that other paths imply. */
const manyBends = 20_000;
/** With more bends than this the longest lines are omitted, regardless of their kind. */
const maxBends = 120_000;

/**
 * The indexes of the edges to draw: all of them, unless there are too many. Then edges whose order another path implies
 * are dropped first, then the longest.
 */
function drawableEdges(edges: readonly LayoutEdge[], row: readonly number[]): number[] {
  const drawable = [...edges.keys()].filter((at) => lengthOf(edges[at], row) > 0);
  if (bendsOf(edges, drawable, row) <= manyBends) return drawable;
  const needed = withoutImplied(edges, drawable, row);
  if (bendsOf(edges, needed, row) <= maxBends) return needed;
  const shortFirst = needed.toSorted((a, b) => lengthOf(edges[a], row) - lengthOf(edges[b], row) || a - b);
  let room = maxBends;
  return shortFirst.filter((at) => (room -= lengthOf(edges[at], row) - 1) >= 0).toSorted((a, b) => a - b);
}

function lengthOf(edge: LayoutEdge | undefined, row: readonly number[]): number {
  return edge === undefined ? 0 : numberAt(row, edge.to) - numberAt(row, edge.from);
}

/** Number of bends that the lines need; shared ones count once. */
function bendsOf(edges: readonly LayoutEdge[], chosen: readonly number[], row: readonly number[]): number {
  const list = chosen.flatMap((at) => edges[at] ?? []);
  const trunk = trunkOf(list, row.length);
  const maxLength = new Map<string, number>();
  for (const edge of list) {
    const key = trunk(edge);
    maxLength.set(key, Math.max(maxLength.get(key) ?? 0, lengthOf(edge, row) - 1));
  }
  let bends = 0;
  for (const length of maxLength.values()) bends += length;
  return bends;
}

/** Drops each edge whose ends are connected by another path. */
function withoutImplied(edges: readonly LayoutEdge[], chosen: readonly number[], row: readonly number[]): number[] {
  const targets = targetsOf(edges, chosen, row.length);
  const words = Math.ceil(row.length / 32);
  const reach: Uint32Array[] = row.map(() => nothing);
  const needed = new Set<number>();
  const upwards = [...row.keys()].toSorted((a, b) => numberAt(row, b) - numberAt(row, a));
  for (const node of upwards) {
    const ends = listAt(targets, node);
    if (ends.length === 0) continue;
    const beyond = new Uint32Array(words);
    for (const { to } of ends) unite(beyond, reach[to] ?? nothing);
    for (const { at, to } of ends) if (!has(beyond, to)) needed.add(at);
    for (const { to } of ends) put(beyond, to);
    reach[node] = beyond;
  }
  return chosen.filter((at) => needed.has(at));
}

/** For each box the edges that leave it. */
function targetsOf(edges: readonly LayoutEdge[], chosen: readonly number[], boxes: number): End[][] {
  const targets: End[][] = Array.from({ length: boxes }, () => []);
  for (const at of chosen) {
    const edge = edges[at];
    if (edge !== undefined) targets[edge.from]?.push({ at, to: edge.to });
  }
  return targets;
}

interface End {
  /** The index of the edge. */
  readonly at: number;
  readonly to: number;
}

const nothing = new Uint32Array(0);

function unite(bits: Uint32Array, others: Uint32Array): void {
  for (let word = 0; word < others.length; word++) bits[word] = numberAt(bits, word) | numberAt(others, word);
}

function has(bits: Uint32Array, index: number): boolean {
  return ((numberAt(bits, index >>> 5) >>> (index & 31)) & 1) === 1;
}

function put(bits: Uint32Array, index: number): void {
  bits[index >>> 5] = numberAt(bits, index >>> 5) | (1 << (index & 31));
}

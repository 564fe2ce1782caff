import {
  columnGap,
  columnDistance,
  listAt,
  numberAt,
  type LayoutEdge,
  type LayoutNode,
  type LayeredGraph,
} from "./layered-graph.ts";

interface Neighbours {
  readonly above: readonly (readonly number[])[];
  readonly below: readonly (readonly number[])[];
}

/**
 * Assigns a row to every box, each as high as its dependencies allow: boxes that can start together are side by side.
 * Boxes with more outgoing than incoming lines move down to where they are needed; a row wider than `maxWidth` is
 * split.
 */
export function assignRows(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[], maxWidth: number): number[] {
  const neighbours = neighboursOf(nodes.length, edges);
  const { order, row } = earliestRows(nodes, neighbours);
  for (let pass = 0; pass < 2; pass++) moveDown(row, order, neighbours);
  return breakWideRows(pinEnds(row, nodes), nodes, maxWidth);
}

function neighboursOf(count: number, edges: readonly LayoutEdge[]): Neighbours {
  const above: number[][] = Array.from({ length: count }, () => []);
  const below: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) {
    below[from]?.push(to);
    above[to]?.push(from);
  }
  return { above, below };
}

/** Longest paths from the top, and the boxes in topological order. */
function earliestRows(nodes: readonly LayoutNode[], { above, below }: Neighbours): { order: number[]; row: number[] } {
  const waiting = above.map((needs) => needs.length);
  const row = nodes.map(() => 0);
  const order = waiting.flatMap((count, node) => (count === 0 ? [node] : []));
  const done = new Set(order);
  const settle = (node: number): void => {
    for (const lower of listAt(below, node)) {
      if (done.has(lower)) continue;
      row[lower] = Math.max(numberAt(row, lower), numberAt(row, node) + 1);
      const left = numberAt(waiting, lower) - 1;
      waiting[lower] = left;
      if (left > 0) continue;
      done.add(lower);
      order.push(lower);
    }
  };
  let at = 0;
  for (const next of [-1, ...nodes.keys()]) {
    // Plans have no cycles; a graph from another source may, and is drawn without the lines that close them.
    if (next >= 0 && !done.has(next)) {
      done.add(next);
      order.push(next);
    }
    for (; at < order.length; at++) settle(numberAt(order, at));
  }
  return { order, row };
}

function moveDown(row: number[], order: readonly number[], { above, below }: Neighbours): void {
  for (const node of order.toReversed()) {
    const lower = listAt(below, node);
    if (lower.length <= listAt(above, node).length) continue;
    let lowest = Number.POSITIVE_INFINITY;
    for (const other of lower) lowest = Math.min(lowest, numberAt(row, other) - 1);
    row[node] = Math.max(numberAt(row, node), lowest);
  }
}

function pinEnds(row: number[], nodes: readonly LayoutNode[]): number[] {
  let last = 0;
  for (const at of row) last = Math.max(last, at);
  return row.map((at, node) => {
    const pin = nodes[node]?.pin;
    if (pin === "first") return -1;
    return pin === "last" ? last + 1 : at;
  });
}

/** Rows numbered from 0 without holes; a wide one becomes several of about the same width. */
function breakWideRows(row: readonly number[], nodes: readonly LayoutNode[], maxWidth: number): number[] {
  const members = Map.groupBy(row.keys(), (node) => numberAt(row, node));
  const broken = [...row];
  let next = 0;
  for (const [, list] of [...members].toSorted(([a], [b]) => a - b)) {
    const width = list.reduce((sum, node) => sum + widthOf(nodes[node]), 0);
    const parts = Math.min(list.length, Math.max(1, Math.ceil(width / maxWidth)));
    for (const [at, node] of list.entries()) broken[node] = next + Math.floor((at * parts) / list.length);
    next += parts;
  }
  return broken;
}

function widthOf(node: LayoutNode | undefined): number {
  return node === undefined ? 0 : node.left + node.right + columnGap;
}

/**
 * Strength with which a segment pulls its ends under each other: strongest for long lines, so that they do not wind.
 */
const pulls = { boxes: 1, mixed: 2, bends: 12 };

/**
 * The axis of every id, where lines are too many to keep each of them straight: each row in turn is drawn toward
 * its neighbors, as near as the distances between its own members allow. Narrow, and still mostly straight.
 */
export function settleColumns(graph: LayeredGraph): number[] {
  const x = Array.from({ length: graph.left.length }, () => 0);
  const offsets = graph.rows.map((row) => packedOffsets(graph, row));
  for (const [at, row] of graph.rows.entries()) {
    const list = listAt(offsets, at);
    const middle = (list.at(-1) ?? 0) / 2;
    for (const [index, id] of row.entries()) x[id] = numberAt(list, index) - middle;
  }
  const sweeps = Math.max(6, Math.min(40, Math.floor(400_000 / x.length)));
  for (let sweep = 0; sweep < sweeps; sweep++)
    for (let step = 0; step < graph.rows.length; step++) {
      const at = sweep % 2 === 0 ? step : graph.rows.length - 1 - step;
      settleRow(graph, x, { row: listAt(graph.rows, at), offset: listAt(offsets, at) });
    }
  return x;
}

/** Offset of each member of a row if all were packed to the left. */
export function packedOffsets(graph: LayeredGraph, row: readonly number[]): number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const [index, id] of row.entries()) {
    const before = row[index - 1];
    if (before !== undefined) at += columnDistance(graph, before, id);
    offsets.push(at);
  }
  return offsets;
}

/** Members that move together, because each would otherwise come too near to the next. */
interface Pool {
  sum: number;
  weight: number;
  count: number;
}

/**
 * The least squares answer that keeps all distances. Without the packed offsets it is the problem of fitting a
 * sequence that never falls, which pooling neighbors that are out of order solves in one pass.
 */
function settleRow(
  graph: LayeredGraph,
  x: number[],
  { row, offset }: { row: readonly number[]; offset: readonly number[] },
): void {
  const pools: Pool[] = [];
  for (const [index, id] of row.entries()) {
    const { position, weight } = preferredColumn(graph, x, id);
    let pool: Pool = { sum: (position - numberAt(offset, index)) * weight, weight, count: 1 };
    for (let last = pools.at(-1); last !== undefined && last.sum * pool.weight > pool.sum * last.weight;) {
      pool = { sum: last.sum + pool.sum, weight: last.weight + pool.weight, count: last.count + pool.count };
      pools.pop();
      last = pools.at(-1);
    }
    pools.push(pool);
  }
  let index = 0;
  for (const { sum, weight, count } of pools)
    for (let member = 0; member < count; member++, index++)
      x[numberAt(row, index)] = sum / weight + numberAt(offset, index);
}

/** Preferred position of an id, and its weight. */
function preferredColumn(graph: LayeredGraph, x: readonly number[], id: number): { position: number; weight: number } {
  let sum = 0;
  let weight = 0;
  for (const neighbours of [graph.above, graph.below])
    for (const other of listAt(neighbours, id)) {
      const pull = pullOf(id >= graph.boxes, other >= graph.boxes);
      sum += numberAt(x, other) * pull;
      weight += pull;
    }
  return weight === 0 ? { position: numberAt(x, id), weight: 0.1 } : { position: sum / weight, weight };
}

function pullOf(bend: boolean, otherBend: boolean): number {
  if (bend && otherBend) return pulls.bends;
  return bend || otherBend ? pulls.mixed : pulls.boxes;
}

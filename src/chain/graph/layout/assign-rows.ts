import { columnGap } from "./column-distance.ts";
import { listAt, numberAt } from "./array-access.ts";
import type { LayoutEdge, LayoutNode } from "./layered-graph.ts";

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
  const members = new Map<number, number[]>();
  for (const [node, at] of row.entries()) {
    const list = members.get(at);
    if (list === undefined) members.set(at, [node]);
    else list.push(node);
  }
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

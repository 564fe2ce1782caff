import type { LayoutEdge, LayoutNode } from "./layered-graph.ts";

/** Room between two boxes of a row. */
export const columnGap = 28;

interface Neighbours {
  readonly above: readonly (readonly number[])[];
  readonly below: readonly (readonly number[])[];
}

/**
 * Gives every box its row, each as high as what it waits for allows: what can start together stands side by side.
 * Boxes that more lines leave than reach move down to where they are needed; a row wider than `maxWidth` is broken.
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

/** Longest paths from the top, and the boxes in an order in which lines lead only forward. */
function earliestRows(nodes: readonly LayoutNode[], { above, below }: Neighbours): { order: number[]; row: number[] } {
  const waiting = above.map((needs) => needs.length);
  const row = new Array<number>(nodes.length).fill(0);
  const order: number[] = [];
  const done = new Array<boolean>(nodes.length).fill(false);
  const take = (node: number): void => {
    done[node] = true;
    order.push(node);
  };
  for (const node of nodes.keys()) if (waiting[node] === 0) take(node);
  let at = 0;
  // Plans have no circles; a graph from elsewhere may, and is drawn all the same, without the lines that close them.
  for (let next = 0; next < nodes.length; next++) {
    if (done[next] !== true && at === order.length) take(next);
    for (; at < order.length; at++) {
      const node = order[at] ?? 0;
      for (const lower of below[node] ?? []) {
        if (done[lower] === true) continue;
        row[lower] = Math.max(row[lower] ?? 0, (row[node] ?? 0) + 1);
        const left = (waiting[lower] ?? 0) - 1;
        waiting[lower] = left;
        if (left === 0) take(lower);
      }
    }
  }
  return { order, row };
}

function moveDown(row: number[], order: readonly number[], { above, below }: Neighbours): void {
  for (const node of order.toReversed()) {
    const lower = below[node] ?? [];
    if (lower.length <= (above[node]?.length ?? 0)) continue;
    let lowest = Number.POSITIVE_INFINITY;
    for (const other of lower) lowest = Math.min(lowest, (row[other] ?? 0) - 1);
    row[node] = Math.max(row[node] ?? 0, lowest);
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

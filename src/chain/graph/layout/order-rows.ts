import { listAt, numberAt, type LayeredGraph } from "./layered-graph.ts";

type Neighbours = LayeredGraph["above"];

/**
 * Reorders each row so that few lines cross: sweeps down and up by the mean position of the neighbors, and uses the
 * best order.
 */
export function orderRows(graph: LayeredGraph): void {
  const size = graph.left.length;
  const position = Array.from({ length: size }, () => 0);
  startOrder(graph, position);
  let best = graph.rows.map((row) => [...row]);
  let fewest = countCrossings(graph, position);
  // Effort shrinks with size: small graphs get the maximum number of sweeps, large ones stay fast.
  const sweeps = Math.max(3, Math.min(24, Math.floor(200_000 / size)));
  let idle = 0;
  for (let sweep = 0; sweep < sweeps && fewest > 0 && idle < 6; sweep++) {
    sweepRows(graph, position, sweep % 2 === 0);
    if (size < 4000) swapNeighbours(graph, position);
    const crossings = countCrossings(graph, position);
    idle++;
    if (crossings >= fewest) continue;
    idle = 0;
    fewest = crossings;
    best = graph.rows.map((row) => [...row]);
  }
  for (const [at, row] of best.entries()) graph.rows[at] = row;
}

/** Depth first from the top: connected nodes start together. */
function startOrder(graph: LayeredGraph, position: number[]): void {
  const seen = Array.from({ length: graph.left.length }, () => false);
  const rowOf = Array.from({ length: graph.left.length }, () => 0);
  for (const [at, row] of graph.rows.entries()) for (const id of row) rowOf[id] = at;
  const rows: number[][] = graph.rows.map(() => []);
  for (const id of graph.rows.flat()) {
    const open = [id];
    for (let top = open.pop(); top !== undefined; top = open.pop()) {
      if (seen[top] === true) continue;
      seen[top] = true;
      rows[numberAt(rowOf, top)]?.push(top);
      for (const lower of listAt(graph.below, top).toReversed()) if (seen[lower] !== true) open.push(lower);
    }
  }
  for (const [at, row] of rows.entries()) setRow(graph, position, [at, row]);
}

function setRow(graph: LayeredGraph, position: number[], [at, row]: [number, number[]]): void {
  graph.rows[at] = row;
  for (const [index, id] of row.entries()) position[id] = index;
}

function sweepRows(graph: LayeredGraph, position: number[], downwards: boolean): void {
  const neighbours = downwards ? graph.above : graph.below;
  const mean = Array.from({ length: graph.left.length }, () => 0);
  for (let step = 1; step < graph.rows.length; step++) {
    const at = downwards ? step : graph.rows.length - 1 - step;
    const row = listAt(graph.rows, at);
    for (const id of row) mean[id] = meanPosition(listAt(neighbours, id), position) ?? numberAt(position, id);
    const sorted = row.toSorted(
      (a, b) => numberAt(mean, a) - numberAt(mean, b) || numberAt(position, a) - numberAt(position, b),
    );
    setRow(graph, position, [at, sorted]);
  }
}

function meanPosition(ids: readonly number[], position: readonly number[]): number | undefined {
  if (ids.length === 0) return undefined;
  let sum = 0;
  for (const id of ids) sum += numberAt(position, id);
  return sum / ids.length;
}

/** Swaps two neighbors wherever that reduces crossings, until nothing improves. */
function swapNeighbours(graph: LayeredGraph, position: number[]): void {
  for (let pass = 0, gained = true; gained && pass < 4; pass++) {
    gained = false;
    for (const row of graph.rows)
      for (let at = 1; at < row.length; at++) {
        const [left = 0, right = 0] = [row[at - 1], row[at]];
        if (swapGain(graph, position, [left, right]) <= 0) continue;
        row[at - 1] = right;
        row[at] = left;
        position[right] = at - 1;
        position[left] = at;
        gained = true;
      }
  }
}

function swapGain(graph: LayeredGraph, position: readonly number[], [left, right]: [number, number]): number {
  let gain = 0;
  for (const neighbours of [graph.above, graph.below]) gain += gainAt(neighbours, position, [left, right]);
  return gain;
}

function gainAt(neighbours: Neighbours, position: readonly number[], [left, right]: [number, number]): number {
  let gain = 0;
  for (const a of listAt(neighbours, left))
    for (const b of listAt(neighbours, right)) gain += Math.sign(numberAt(position, a) - numberAt(position, b));
  return gain;
}

/**
 * Number of line crossings for the given position of each id in its row; `n log n` by counting inversions in a Fenwick
 * tree.
 */
export function countCrossings(graph: LayeredGraph, position: readonly number[]): number {
  let crossings = 0;
  for (let at = 1; at < graph.rows.length; at++) {
    const width = graph.rows[at]?.length ?? 0;
    const tree = new Int32Array(width + 1);
    let seen = 0;
    for (const upper of listAt(graph.rows, at - 1)) {
      const ends = listAt(graph.below, upper)
        .map((lower) => numberAt(position, lower))
        .toSorted((a, b) => a - b);
      // Ends of one box do not cross each other, so all are counted before any is added.
      for (const end of ends) crossings += seen - sumUpTo(tree, end + 1);
      for (const end of ends) add(tree, end + 1);
      seen += ends.length;
    }
  }
  return crossings;
}

function sumUpTo(tree: Int32Array, index: number): number {
  let sum = 0;
  for (let at = index; at > 0; at -= at & -at) sum += numberAt(tree, at);
  return sum;
}

function add(tree: Int32Array, index: number): void {
  for (let at = index; at < tree.length; at += at & -at) tree[at] = numberAt(tree, at) + 1;
}

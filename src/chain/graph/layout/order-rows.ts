import { countCrossings } from "./count-crossings.ts";
import { listAt, numberAt } from "./entry-at.ts";
import type { LayeredGraph } from "./layered-graph.ts";

type Neighbours = LayeredGraph["above"];

/** Reorders each row so that few lines cross: sweeps down and up by the mean place of the neighbours, best kept. */
export function orderRows(graph: LayeredGraph): void {
  const size = graph.left.length;
  const place = Array.from({ length: size }, () => 0);
  startOrder(graph, place);
  let best = graph.rows.map((row) => [...row]);
  let fewest = countCrossings(graph, place);
  // Effort shrinks with size: small graphs get every chance, large ones finish.
  const sweeps = Math.max(3, Math.min(24, Math.floor(200_000 / size)));
  let idle = 0;
  for (let sweep = 0; sweep < sweeps && fewest > 0 && idle < 6; sweep++) {
    sweepRows(graph, place, sweep % 2 === 0);
    if (size < 4000) swapNeighbours(graph, place);
    const crossings = countCrossings(graph, place);
    idle++;
    if (crossings >= fewest) continue;
    idle = 0;
    fewest = crossings;
    best = graph.rows.map((row) => [...row]);
  }
  for (const [at, row] of best.entries()) graph.rows[at] = row;
}

/** Depth first from the top: what hangs together starts together. */
function startOrder(graph: LayeredGraph, place: number[]): void {
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
  for (const [at, row] of rows.entries()) setRow(graph, place, [at, row]);
}

function setRow(graph: LayeredGraph, place: number[], [at, row]: [number, number[]]): void {
  graph.rows[at] = row;
  for (const [index, id] of row.entries()) place[id] = index;
}

function sweepRows(graph: LayeredGraph, place: number[], downwards: boolean): void {
  const neighbours = downwards ? graph.above : graph.below;
  const mean = Array.from({ length: graph.left.length }, () => 0);
  for (let step = 1; step < graph.rows.length; step++) {
    const at = downwards ? step : graph.rows.length - 1 - step;
    const row = listAt(graph.rows, at);
    for (const id of row) mean[id] = meanPlace(listAt(neighbours, id), place) ?? numberAt(place, id);
    const sorted = row.toSorted(
      (a, b) => numberAt(mean, a) - numberAt(mean, b) || numberAt(place, a) - numberAt(place, b),
    );
    setRow(graph, place, [at, sorted]);
  }
}

function meanPlace(ids: readonly number[], place: readonly number[]): number | undefined {
  if (ids.length === 0) return undefined;
  let sum = 0;
  for (const id of ids) sum += numberAt(place, id);
  return sum / ids.length;
}

/** Exchanges two that stand side by side wherever that leaves fewer crossings, until nothing is gained. */
function swapNeighbours(graph: LayeredGraph, place: number[]): void {
  for (let pass = 0, gained = true; gained && pass < 4; pass++) {
    gained = false;
    for (const row of graph.rows)
      for (let at = 1; at < row.length; at++) {
        const [left = 0, right = 0] = [row[at - 1], row[at]];
        if (swapGain(graph, place, [left, right]) <= 0) continue;
        row[at - 1] = right;
        row[at] = left;
        place[right] = at - 1;
        place[left] = at;
        gained = true;
      }
  }
}

function swapGain(graph: LayeredGraph, place: readonly number[], [left, right]: [number, number]): number {
  let gain = 0;
  for (const neighbours of [graph.above, graph.below]) gain += gainAt(neighbours, place, [left, right]);
  return gain;
}

function gainAt(neighbours: Neighbours, place: readonly number[], [left, right]: [number, number]): number {
  let gain = 0;
  for (const a of listAt(neighbours, left))
    for (const b of listAt(neighbours, right)) gain += Math.sign(numberAt(place, a) - numberAt(place, b));
  return gain;
}

import { listAt, numberAt } from "./array-access.ts";
import type { LayeredGraph } from "./layered-graph.ts";
import { columnDistance } from "./column-distance.ts";

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
  const offsets = graph.rows.map((row) => offsetsOf(graph, row));
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
function offsetsOf(graph: LayeredGraph, row: readonly number[]): number[] {
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

import { listAt, numberAt } from "./entry-at.ts";
import type { LayeredGraph } from "./layered-graph.ts";

/** How often lines cross, given each id's place in its row; `n log n` by counting inversions in a Fenwick tree. */
export function countCrossings(graph: LayeredGraph, place: readonly number[]): number {
  let crossings = 0;
  for (let at = 1; at < graph.rows.length; at++) {
    const width = graph.rows[at]?.length ?? 0;
    const tree = new Int32Array(width + 1);
    let seen = 0;
    for (const upper of listAt(graph.rows, at - 1)) {
      const ends = listAt(graph.below, upper)
        .map((lower) => numberAt(place, lower))
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

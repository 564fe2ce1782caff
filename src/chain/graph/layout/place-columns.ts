import { alignColumns, spanOf } from "./align-columns.ts";
import { columnDistance } from "./column-distance.ts";
import type { LayeredGraph } from "./layered-graph.ts";
import { settleColumns } from "./settle-columns.ts";

/** Where every id has its axis, and how wide that is; everything stands right of 0. */
export interface Columns {
  readonly x: readonly number[];
  readonly width: number;
}

/** The narrowest picture for which width matters. */
const narrow = 600;

/** Places all axes in straight lines, unless that would make the picture much wider than its widest row. */
export function placeColumns(graph: LayeredGraph): Columns {
  const straight = alignColumns(graph);
  let least = narrow;
  for (const row of graph.rows) least = Math.max(least, packedWidth(graph, row));
  const { from, to } = spanOf(graph, straight);
  const x = to - from > least * 1.6 ? settleColumns(graph) : straight;
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

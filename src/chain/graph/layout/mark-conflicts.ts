import { type LayeredGraph, segmentKey } from "./layered-graph.ts";

/**
 * Segments, by their keys, that cross the inner part of a line that passes rows. They give way, so that long lines
 * stay straight.
 */
export function markConflicts(graph: LayeredGraph): Set<number> {
  const place = new Array<number>(graph.left.length).fill(0);
  for (const row of graph.rows) for (const [index, id] of row.entries()) place[id] = index;
  const conflicts = new Set<number>();
  for (let at = 1; at < graph.rows.length; at++) {
    const row = graph.rows[at] ?? [];
    const last = (graph.rows[at - 1]?.length ?? 0) - 1;
    let from = 0;
    let scanned = 0;
    for (const [index, id] of row.entries()) {
      const inner = innerEnd(graph, id);
      if (inner === undefined && index < row.length - 1) continue;
      const to = inner === undefined ? last : (place[inner] ?? 0);
      for (; scanned <= index; scanned++) {
        const lower = row[scanned] ?? 0;
        const inside = innerEnd(graph, lower) !== undefined;
        for (const upper of graph.above[lower] ?? []) {
          const seat = place[upper] ?? 0;
          if ((seat < from || seat > to) && !(inside && isBend(graph, upper))) conflicts.add(segmentKey(upper, lower));
        }
      }
      from = to;
    }
  }
  return conflicts;
}

/** The bend above this bend, where the line passed the row above as well. */
function innerEnd(graph: LayeredGraph, id: number): number | undefined {
  return isBend(graph, id) ? graph.above[id]?.find((upper) => isBend(graph, upper)) : undefined;
}

function isBend(graph: LayeredGraph, id: number): boolean {
  return id >= graph.boxes;
}

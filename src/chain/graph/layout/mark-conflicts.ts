import { listAt, numberAt, placesOf } from "./entry-at.ts";
import { type LayeredGraph, segmentKey } from "./layered-graph.ts";

/**
 * Segments, by their keys, that cross the inner part of a line that passes rows. They give way, so that long lines
 * stay straight.
 */
export function markConflicts(graph: LayeredGraph): Set<number> {
  const place = placesOf(graph.rows, graph.left.length);
  const conflicts = new Set<number>();
  for (let at = 1; at < graph.rows.length; at++)
    for (const stretch of stretches(graph, place, at))
      for (const key of crossing(graph, place, stretch)) conflicts.add(key);
  return conflicts;
}

/** Members of a row up to one that is held straight, and the places above between which their lines cross nothing. */
interface Stretch {
  readonly members: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** The segments that leave a stretch, those apart that are held straight themselves. */
function* crossing(graph: LayeredGraph, place: readonly number[], { members, from, to }: Stretch): Generator<number> {
  for (const lower of members)
    for (const upper of listAt(graph.above, lower)) {
      const seat = numberAt(place, upper);
      if (seat >= from && seat <= to) continue;
      if (!isBend(graph, lower) || !isBend(graph, upper)) yield segmentKey(upper, lower);
    }
}

function* stretches(graph: LayeredGraph, place: readonly number[], at: number): Generator<Stretch> {
  let members: number[] = [];
  let from = 0;
  for (const id of listAt(graph.rows, at)) {
    members.push(id);
    const held = bendAbove(graph, id);
    if (held === undefined) continue;
    const to = numberAt(place, held);
    yield { members, from, to };
    members = [];
    from = to;
  }
  yield { members, from, to: listAt(graph.rows, at - 1).length };
}

/** The bend above this bend, where the line passed the row above as well. */
function bendAbove(graph: LayeredGraph, id: number): number | undefined {
  return isBend(graph, id) ? graph.above[id]?.find((upper) => isBend(graph, upper)) : undefined;
}

function isBend(graph: LayeredGraph, id: number): boolean {
  return id >= graph.boxes;
}

import { columnDistance, listAt, numberAt, rowPositions, type LayeredGraph, segmentKey } from "./layered-graph.ts";

/** A graph seen from one of its four corners. */
interface View {
  readonly boxes: number;
  readonly rows: readonly (readonly number[])[];
  readonly position: readonly number[];
  /** The neighbors in the row that was placed before. */
  readonly before: LayeredGraph["above"];
  /** The neighbors in the row that is placed next. */
  readonly after: LayeredGraph["above"];
  readonly left: readonly number[];
  readonly right: readonly number[];
}

/**
 * The axis of every id, by the method of Brandes and Köpf: chains of median neighbors are put under each other and
 * packed, once from each corner, and the mean of the two middle results is taken. Lines that pass rows stay straight.
 */
export function alignColumns(graph: LayeredGraph): number[] {
  const conflicts = markConflicts(graph);
  const results: number[][] = [];
  for (const upwards of [false, true])
    for (const mirrored of [false, true]) {
      const view = viewFrom(graph, upwards, mirrored);
      const columns = packBlocks(view, alignChains(view, conflicts));
      results.push(mirrored ? columns.map((x) => -x) : columns);
    }
  return middle(graph, results);
}

function viewFrom(graph: LayeredGraph, upwards: boolean, mirrored: boolean): View {
  const turned = upwards ? graph.rows.toReversed() : graph.rows;
  const rows = mirrored ? turned.map((row) => row.toReversed()) : turned;
  return {
    boxes: graph.boxes,
    rows,
    position: rowPositions(rows, graph.left.length),
    before: upwards ? graph.below : graph.above,
    after: upwards ? graph.above : graph.below,
    left: mirrored ? graph.right : graph.left,
    right: mirrored ? graph.left : graph.right,
  };
}

/** For each id the first id of the chain it belongs to. */
function alignChains(view: View, conflicts: ReadonlySet<number>): number[] {
  const root = view.position.map((_, id) => id);
  for (const row of view.rows) {
    // Chains must not cross: each takes its partner right of the last one that was taken.
    let reached = -1;
    for (const id of row) {
      const partner = medians(view, id).find(
        (other) =>
          numberAt(view.position, other) > reached &&
          !yields(view, id, other) &&
          !conflicts.has(segmentKey(other, id)) &&
          !conflicts.has(segmentKey(id, other)),
      );
      if (partner === undefined) continue;
      root[id] = numberAt(root, partner);
      reached = numberAt(view.position, partner);
    }
  }
  return root;
}

/** The one or two neighbors in the middle, among those that are like it. */
function medians({ boxes, position, before }: View, id: number): readonly number[] {
  const near = likes(listAt(before, id), id >= boxes, boxes).toSorted(
    (a, b) => numberAt(position, a) - numberAt(position, b),
  );
  return near.slice(Math.floor((near.length - 1) / 2), Math.floor(near.length / 2) + 1);
}

/** Boxes hold on to boxes and bends to bends where they can: the main way stays straight, and so do long lines. */
function likes(ids: readonly number[], bend: boolean, boxes: number): readonly number[] {
  const same = ids.filter((id) => id >= boxes === bend);
  return same.length === 0 ? ids : same;
}

/**
 * A bend does not take a box away from the boxes that hang on it, and where a shared way fans out into several boxes
 * none of them has to stand right under it.
 */
function yields({ boxes, before, after }: View, id: number, other: number): boolean {
  const isBox = (each: number): boolean => each < boxes;
  if (isBox(id)) return !isBox(other) && listAt(after, other).length > 1;
  return isBox(other) && (listAt(after, other).some(isBox) || listAt(before, id).length > 1);
}

interface Constraint {
  readonly block: number;
  readonly distance: number;
}

/** Packs the chains to the left, then moves unconstrained ones next to their right neighbors. */
function packBlocks(view: View, root: readonly number[]): number[] {
  const followers = followersOf(view, root);
  const order = leftToRight(followers, root);
  const x = root.map(() => 0);
  for (const block of order)
    for (const next of listAt(followers, block))
      x[next.block] = Math.max(numberAt(x, next.block), numberAt(x, block) + next.distance);
  for (const block of order.toReversed()) {
    let room = Number.POSITIVE_INFINITY;
    for (const next of listAt(followers, block)) room = Math.min(room, numberAt(x, next.block) - next.distance);
    if (room < Number.POSITIVE_INFINITY) x[block] = Math.max(numberAt(x, block), room);
  }
  return root.map((block) => numberAt(x, block));
}

/** The blocks that must be right of each block, with their minimum distances. */
function followersOf(view: View, root: readonly number[]): Constraint[][] {
  const followers: Constraint[][] = root.map(() => []);
  for (const row of view.rows)
    for (const [index, next] of row.entries()) {
      const id = row[index - 1];
      if (id === undefined) continue;
      followers[numberAt(root, id)]?.push({ block: numberAt(root, next), distance: columnDistance(view, id, next) });
    }
  return followers;
}

/** An order in which every block comes after those left of it. */
function leftToRight(followers: readonly Constraint[][], root: readonly number[]): number[] {
  const waiting = root.map(() => 0);
  for (const { block } of followers.flat()) waiting[block] = numberAt(waiting, block) + 1;
  const order = root.filter((block, id) => block === id && waiting[block] === 0);
  // Grows during iteration.
  for (const block of order)
    for (const { block: next } of listAt(followers, block)) {
      const left = numberAt(waiting, next) - 1;
      waiting[next] = left;
      if (left === 0) order.push(next);
    }
  return order;
}

/** Aligns the four results at the narrowest one and takes the mean of the middle two, which preserves distances. */
function middle(graph: LayeredGraph, results: readonly number[][]): number[] {
  const spans = results.map((columns) => spanOf(graph, columns));
  const [narrow = { from: 0, to: 0 }] = spans.toSorted((a, b) => a.to - a.from - (b.to - b.from));
  const shifts = spans.map((span, at) => (at % 2 === 0 ? narrow.from - span.from : narrow.to - span.to));
  return graph.left.map((_, id) => {
    const four = results.map((columns, at) => numberAt(columns, id) + numberAt(shifts, at)).sort((a, b) => a - b);
    return (numberAt(four, 1) + numberAt(four, 2)) / 2;
  });
}

/** From the left edge of the first to the right edge of the last. */
export function spanOf(graph: LayeredGraph, columns: readonly number[]): { from: number; to: number } {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const [id, x] of columns.entries()) {
    from = Math.min(from, x - numberAt(graph.left, id));
    to = Math.max(to, x + numberAt(graph.right, id));
  }
  return columns.length === 0 ? { from: 0, to: 0 } : { from, to };
}

/**
 * Segments, by their keys, that cross the inner part of a line that passes rows. They give way, so that long lines
 * stay straight.
 */
function markConflicts(graph: LayeredGraph): Set<number> {
  const position = rowPositions(graph.rows, graph.left.length);
  const conflicts = new Set<number>();
  for (let at = 1; at < graph.rows.length; at++)
    for (const stretch of stretches(graph, position, at))
      for (const key of crossing(graph, position, stretch)) conflicts.add(key);
  return conflicts;
}

/** Members of a row up to one that is held straight, and the range above within which their lines cross nothing. */
interface Stretch {
  readonly members: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** The segments that leave a stretch, those apart that are held straight themselves. */
function* crossing(
  graph: LayeredGraph,
  position: readonly number[],
  { members, from, to }: Stretch,
): Generator<number> {
  for (const lower of members)
    for (const upper of listAt(graph.above, lower)) {
      const seat = numberAt(position, upper);
      if (seat >= from && seat <= to) continue;
      if (!isBend(graph, lower) || !isBend(graph, upper)) yield segmentKey(upper, lower);
    }
}

function* stretches(graph: LayeredGraph, position: readonly number[], at: number): Generator<Stretch> {
  let members: number[] = [];
  let from = 0;
  for (const id of listAt(graph.rows, at)) {
    members.push(id);
    // The bend above this bend, where the line passed the row above as well.
    const held = isBend(graph, id) ? graph.above[id]?.find((upper) => isBend(graph, upper)) : undefined;
    if (held === undefined) continue;
    const to = numberAt(position, held);
    yield { members, from, to };
    members = [];
    from = to;
  }
  yield { members, from, to: listAt(graph.rows, at - 1).length };
}

function isBend(graph: LayeredGraph, id: number): boolean {
  return id >= graph.boxes;
}

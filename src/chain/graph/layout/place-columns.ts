import { columnGap } from "./assign-rows.ts";
import { type LayeredGraph, segmentKey } from "./layered-graph.ts";
import { markConflicts } from "./mark-conflicts.ts";

/** A graph seen from one of its four corners. */
interface View {
  readonly boxes: number;
  readonly rows: readonly (readonly number[])[];
  readonly place: readonly number[];
  /** The neighbours in the row that was placed before. */
  readonly before: LayeredGraph["above"];
  /** The neighbours in the row that is placed next. */
  readonly after: LayeredGraph["above"];
  readonly left: readonly number[];
  readonly right: readonly number[];
}

/**
 * The axis of every id, by the method of Brandes and Köpf: chains of median neighbours are put under each other and
 * packed, once from each corner, and the mean of the two middle results is taken. Lines that pass rows stay straight.
 */
export function placeColumns(graph: LayeredGraph): number[] {
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
  const place = new Array<number>(graph.left.length).fill(0);
  for (const row of rows) for (const [index, id] of row.entries()) place[id] = index;
  return {
    boxes: graph.boxes,
    rows,
    place,
    before: upwards ? graph.below : graph.above,
    after: upwards ? graph.above : graph.below,
    left: mirrored ? graph.right : graph.left,
    right: mirrored ? graph.left : graph.right,
  };
}

/** For each id the first id of the chain it belongs to. */
function alignChains(view: View, conflicts: ReadonlySet<number>): number[] {
  const { boxes, rows, place, before } = view;
  const root = place.map((_, id) => id);
  for (const row of rows) {
    let reached = -1;
    for (const id of row) {
      const near = likes(before[id] ?? [], id >= boxes, boxes).toSorted((a, b) => (place[a] ?? 0) - (place[b] ?? 0));
      const middle = (near.length - 1) / 2;
      for (const at of new Set([Math.floor(middle), Math.ceil(middle)])) {
        const other = near[at];
        if (other === undefined || root[id] !== id || yields(view, id, other)) continue;
        if ((place[other] ?? 0) <= reached) continue;
        if (conflicts.has(segmentKey(other, id)) || conflicts.has(segmentKey(id, other))) continue;
        root[id] = root[other] ?? other;
        reached = place[other] ?? 0;
      }
    }
  }
  return root;
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
  if (isBox(id)) return !isBox(other) && (after[other]?.length ?? 0) > 1;
  return isBox(other) && ((after[other] ?? []).some(isBox) || (before[id]?.length ?? 0) > 1);
}

interface Constraint {
  readonly block: number;
  readonly distance: number;
}

/** Packs the chains to the left, then lets those that hang loose follow what stands right of them. */
function packBlocks(view: View, root: readonly number[]): number[] {
  const { followers, order } = blockOrder(view, root);
  const x = new Array<number>(root.length).fill(0);
  for (const block of order)
    for (const next of followers[block] ?? [])
      x[next.block] = Math.max(x[next.block] ?? 0, (x[block] ?? 0) + next.distance);
  for (const block of order.toReversed()) {
    const room = (followers[block] ?? []).map((next) => (x[next.block] ?? 0) - next.distance);
    if (room.length > 0) x[block] = Math.max(x[block] ?? 0, lowest(room));
  }
  return root.map((block) => x[block] ?? 0);
}

/** What must stand right of what, and an order in which every block comes after those left of it. */
function blockOrder(view: View, root: readonly number[]): { followers: Constraint[][]; order: number[] } {
  const followers: Constraint[][] = root.map(() => []);
  const waiting = new Array<number>(root.length).fill(0);
  for (const row of view.rows)
    for (let at = 1; at < row.length; at++) {
      const [id = 0, next = 0] = [row[at - 1], row[at]];
      const [from = id, to = next] = [root[id], root[next]];
      followers[from]?.push({ block: to, distance: gapBetween(view, id, next) });
      waiting[to] = (waiting[to] ?? 0) + 1;
    }
  const order = root.filter((block, id) => block === id && waiting[block] === 0);
  for (const block of order)
    for (const { block: next } of followers[block] ?? []) {
      const left = (waiting[next] ?? 0) - 1;
      waiting[next] = left;
      if (left === 0) order.push(next);
    }
  return { followers, order };
}

function gapBetween({ left, right }: View, id: number, next: number): number {
  const [a = 0, b = 0] = [right[id], left[next]];
  // Two lines may run closer to each other than two cards.
  const gap = a < columnGap && b < columnGap ? columnGap / 4 : columnGap;
  return a + gap + b;
}

/** Lines up the four results at the narrowest one and takes the mean of the middle two: distances are kept. */
function middle(graph: LayeredGraph, results: readonly number[][]): number[] {
  const spans = results.map((columns) => spanOf(graph, columns));
  const [narrow = { from: 0, to: 0 }] = spans.toSorted((a, b) => a.to - a.from - (b.to - b.from));
  const shifts = spans.map((span, at) => (at % 2 === 0 ? narrow.from - span.from : narrow.to - span.to));
  return graph.left.map((_, id) => {
    const four = results.map((columns, at) => (columns[id] ?? 0) + (shifts[at] ?? 0)).sort((a, b) => a - b);
    return ((four[1] ?? 0) + (four[2] ?? 0)) / 2;
  });
}

function spanOf(graph: LayeredGraph, columns: readonly number[]): { from: number; to: number } {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const [id, x] of columns.entries()) {
    from = Math.min(from, x - (graph.left[id] ?? 0));
    to = Math.max(to, x + (graph.right[id] ?? 0));
  }
  return { from, to };
}

function lowest(values: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) least = Math.min(least, value);
  return least;
}

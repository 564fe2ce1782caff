/** A box of the layout; it is centered on a vertical axis, on which its lines begin and end. */
export interface LayoutNode {
  /** Width to the left of the axis. */
  readonly left: number;
  /** Width to the right of the axis. */
  readonly right: number;
  readonly height: number;
  /** Stays alone above or below everything else. */
  readonly pin?: "first" | "last";
}

/** A line from one box down to another; they are given by their indexes in the list of boxes. */
export interface LayoutEdge {
  readonly from: number;
  readonly to: number;
  /** Lines of one style may share their way where they share an end. */
  readonly style: string;
}

/**
 * Boxes and bends in rows. A line that passes rows on its way has a bend in each of them, so every segment
 * leads from one row to the next. Bends are numbered on from the boxes.
 */
export interface LayeredGraph {
  /** Number of ids that are boxes. */
  readonly boxes: number;
  /** Ids from top to bottom, each row from left to right. */
  readonly rows: number[][];
  /** Neighbors in the row above, by id. */
  readonly above: readonly (readonly number[])[];
  /** Neighbors in the row below, by id. */
  readonly below: readonly (readonly number[])[];
  readonly left: readonly number[];
  readonly right: readonly number[];
  /** For each edge the ids that it passes, both ends included. */
  readonly routes: readonly (readonly number[])[];
}

/** Half of the width that a line takes beside others. */
const bendRoom = 5;

/** Puts a bend into every row that a line passes; lines with one end in common share their bends. */
export function layeredGraph(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  rowOf: readonly number[],
): LayeredGraph {
  const left = nodes.map((node) => node.left);
  const right = nodes.map((node) => node.right);
  const above: number[][] = nodes.map(() => []);
  const below: number[][] = nodes.map(() => []);
  const rows = rowsOf(rowOf);
  const shared = new Map<string, Map<number, number>>();
  const linked = new Set<number>();

  const addBend = (row: number): number => {
    left.push(bendRoom);
    right.push(bendRoom);
    above.push([]);
    below.push([]);
    rows[row]?.push(left.length - 1);
    return left.length - 1;
  };
  const link = (upper: number, lower: number): void => {
    const key = segmentKey(upper, lower);
    if (linked.has(key)) return;
    linked.add(key);
    below[upper]?.push(lower);
    above[lower]?.push(upper);
  };
  const trunk = trunkOf(edges, nodes.length);
  const routes = edges.map((edge) => {
    const { from, to } = edge;
    const route = [from];
    const key = trunk(edge);
    let bends = shared.get(key);
    if (bends === undefined) shared.set(key, (bends = new Map()));
    for (let row = numberAt(rowOf, from) + 1; row < numberAt(rowOf, to); row++) {
      let bend = bends.get(row);
      if (bend === undefined) bends.set(row, (bend = addBend(row)));
      route.push(bend);
    }
    route.push(to);
    for (let at = 1; at < route.length; at++) link(numberAt(route, at - 1), numberAt(route, at));
    return route;
  });
  return { boxes: nodes.length, rows, above, below, left, right, routes };
}

/** One number for the segment between two ids. */
export function segmentKey(upper: number, lower: number): number {
  return upper * 2 ** 26 + lower;
}

/** The lines with which a line shares its route: the busier of its two ends decides. */
export function trunkOf(edges: readonly LayoutEdge[], boxes: number): (edge: LayoutEdge) => string {
  const outgoing = Array.from({ length: boxes }, () => 0);
  const incoming = Array.from({ length: boxes }, () => 0);
  for (const { from, to } of edges) {
    outgoing[from] = numberAt(outgoing, from) + 1;
    incoming[to] = numberAt(incoming, to) + 1;
  }
  return ({ from, to, style }) =>
    numberAt(outgoing, from) >= numberAt(incoming, to) ? `${from}> ${style}` : `>${to} ${style}`;
}

function rowsOf(rowOf: readonly number[]): number[][] {
  const rows: number[][] = [];
  for (const [node, row] of rowOf.entries()) {
    while (rows.length <= row) rows.push([]);
    rows[row]?.push(node);
  }
  return rows;
}

const none: readonly never[] = [];

/** The number at an index that is known to exist. */
export function numberAt(list: ArrayLike<number>, index: number): number {
  return list[index] ?? 0;
}

/** The list at an index that is known to exist. */
export function listAt<T>(lists: readonly (readonly T[])[], index: number): readonly T[] {
  return lists[index] ?? none;
}

/** The position of each id in its row. */
export function rowPositions(rows: readonly (readonly number[])[], size: number): number[] {
  const position = Array.from({ length: size }, () => 0);
  for (const row of rows) for (const [index, id] of row.entries()) position[id] = index;
  return position;
}

/** Gap between two boxes of a row. */
export const columnGap = 28;

/** Gap between a box and a line that passes it. */
const passingGap = 20;

/** Gap between two lines. */
const lineGap = 7;

/** Minimum distance between the axes of two neighbors in a row. */
export function columnDistance(
  { boxes, left, right }: Pick<LayeredGraph, "boxes" | "left" | "right">,
  id: number,
  next: number,
): number {
  const lines = Number(id >= boxes) + Number(next >= boxes);
  return numberAt(right, id) + ([columnGap, passingGap, lineGap][lines] ?? 0) + numberAt(left, next);
}

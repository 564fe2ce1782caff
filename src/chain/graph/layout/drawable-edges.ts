import { type LayoutEdge, trunkOf } from "./layered-graph.ts";

/** With more bends than this a picture shows only lines that say something new. */
const manyBends = 20_000;
/** With more bends than this the longest lines are left out, whatever they say. */
const mostBends = 120_000;

/**
 * The edges worth drawing, by their places: all of them, unless the picture would be nothing but lines. Then those
 * go first whose order another path implies, then the longest.
 */
export function drawableEdges(edges: readonly LayoutEdge[], row: readonly number[]): number[] {
  const drawable = [...edges.keys()].filter((at) => lengthOf(edges[at], row) > 0);
  if (bendsOf(edges, drawable, row) <= manyBends) return drawable;
  const needed = withoutImplied(edges, drawable, row);
  if (bendsOf(edges, needed, row) <= mostBends) return needed;
  const shortFirst = needed.toSorted((a, b) => lengthOf(edges[a], row) - lengthOf(edges[b], row) || a - b);
  let room = mostBends;
  return shortFirst.filter((at) => (room -= lengthOf(edges[at], row) - 1) >= 0).toSorted((a, b) => a - b);
}

function lengthOf(edge: LayoutEdge | undefined, row: readonly number[]): number {
  return edge === undefined ? 0 : (row[edge.to] ?? 0) - (row[edge.from] ?? 0);
}

/** How many bends the lines need, shared ones counted once. */
function bendsOf(edges: readonly LayoutEdge[], chosen: readonly number[], row: readonly number[]): number {
  const list = chosen.flatMap((at) => edges[at] ?? []);
  const trunk = trunkOf(list, row.length);
  const longest = new Map<string, number>();
  for (const edge of list) {
    const key = trunk(edge);
    longest.set(key, Math.max(longest.get(key) ?? 0, lengthOf(edge, row) - 1));
  }
  let bends = 0;
  for (const length of longest.values()) bends += length;
  return bends;
}

/** Leaves out each edge between whose ends another path leads. */
function withoutImplied(edges: readonly LayoutEdge[], chosen: readonly number[], row: readonly number[]): number[] {
  const words = Math.ceil(row.length / 32);
  const reach = row.map(() => new Uint32Array(0));
  const below = new Map<number, number[]>();
  for (const at of chosen) {
    const from = edges[at]?.from ?? 0;
    const list = below.get(from);
    if (list === undefined) below.set(from, [at]);
    else list.push(at);
  }
  const needed: number[] = [];
  for (const node of [...row.keys()].toSorted((a, b) => (row[b] ?? 0) - (row[a] ?? 0))) {
    const beyond = new Uint32Array(words);
    const list = below.get(node) ?? [];
    for (const at of list) {
      const other = reach[edges[at]?.to ?? 0] ?? [];
      for (const [word, bits] of other.entries()) beyond[word] = (beyond[word] ?? 0) | bits;
    }
    for (const at of list) if (!has(beyond, edges[at]?.to ?? 0)) needed.push(at);
    for (const at of list) put(beyond, edges[at]?.to ?? 0);
    reach[node] = beyond;
  }
  return needed.toSorted((a, b) => a - b);
}

function has(bits: Uint32Array, index: number): boolean {
  return (((bits[index >>> 5] ?? 0) >>> (index & 31)) & 1) === 1;
}

function put(bits: Uint32Array, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31));
}

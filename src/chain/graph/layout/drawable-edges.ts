import { listAt, numberAt } from "./array-access.ts";
import { type LayoutEdge, trunkOf } from "./layered-graph.ts";

/** With more bends than this a picture omits lines that other paths imply. */
const manyBends = 20_000;
/** With more bends than this the longest lines are omitted, regardless of their kind. */
const maxBends = 120_000;

/**
 * The indexes of the edges to draw: all of them, unless there are too many. Then edges whose order another path implies
 * are dropped first, then the longest.
 */
export function drawableEdges(edges: readonly LayoutEdge[], row: readonly number[]): number[] {
  const drawable = [...edges.keys()].filter((at) => lengthOf(edges[at], row) > 0);
  if (bendsOf(edges, drawable, row) <= manyBends) return drawable;
  const needed = withoutImplied(edges, drawable, row);
  if (bendsOf(edges, needed, row) <= maxBends) return needed;
  const shortFirst = needed.toSorted((a, b) => lengthOf(edges[a], row) - lengthOf(edges[b], row) || a - b);
  let room = maxBends;
  return shortFirst.filter((at) => (room -= lengthOf(edges[at], row) - 1) >= 0).toSorted((a, b) => a - b);
}

function lengthOf(edge: LayoutEdge | undefined, row: readonly number[]): number {
  return edge === undefined ? 0 : numberAt(row, edge.to) - numberAt(row, edge.from);
}

/** Number of bends that the lines need; shared ones count once. */
function bendsOf(edges: readonly LayoutEdge[], chosen: readonly number[], row: readonly number[]): number {
  const list = chosen.flatMap((at) => edges[at] ?? []);
  const trunk = trunkOf(list, row.length);
  const maxLength = new Map<string, number>();
  for (const edge of list) {
    const key = trunk(edge);
    maxLength.set(key, Math.max(maxLength.get(key) ?? 0, lengthOf(edge, row) - 1));
  }
  let bends = 0;
  for (const length of maxLength.values()) bends += length;
  return bends;
}

/** Drops each edge whose ends are connected by another path. */
function withoutImplied(edges: readonly LayoutEdge[], chosen: readonly number[], row: readonly number[]): number[] {
  const targets = targetsOf(edges, chosen, row.length);
  const words = Math.ceil(row.length / 32);
  const reach: Uint32Array[] = row.map(() => nothing);
  const needed = new Set<number>();
  const upwards = [...row.keys()].toSorted((a, b) => numberAt(row, b) - numberAt(row, a));
  for (const node of upwards) {
    const ends = listAt(targets, node);
    if (ends.length === 0) continue;
    const beyond = new Uint32Array(words);
    for (const { to } of ends) unite(beyond, reach[to] ?? nothing);
    for (const { at, to } of ends) if (!has(beyond, to)) needed.add(at);
    for (const { to } of ends) put(beyond, to);
    reach[node] = beyond;
  }
  return chosen.filter((at) => needed.has(at));
}

/** For each box the edges that leave it. */
function targetsOf(edges: readonly LayoutEdge[], chosen: readonly number[], boxes: number): End[][] {
  const targets: End[][] = Array.from({ length: boxes }, () => []);
  for (const at of chosen) {
    const edge = edges[at];
    if (edge !== undefined) targets[edge.from]?.push({ at, to: edge.to });
  }
  return targets;
}

interface End {
  /** The index of the edge. */
  readonly at: number;
  readonly to: number;
}

const nothing = new Uint32Array(0);

function unite(bits: Uint32Array, others: Uint32Array): void {
  for (let word = 0; word < others.length; word++) bits[word] = numberAt(bits, word) | numberAt(others, word);
}

function has(bits: Uint32Array, index: number): boolean {
  return ((numberAt(bits, index >>> 5) >>> (index & 31)) & 1) === 1;
}

function put(bits: Uint32Array, index: number): void {
  bits[index >>> 5] = numberAt(bits, index >>> 5) | (1 << (index & 31));
}

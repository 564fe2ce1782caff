import type { ChainGraph, GraphEdge } from "../graph.ts";
import type { Layout, VerticalSegment } from "../layout/layout-graph.ts";
import { type Figure, element, escapeXml, prose } from "./render-xml.ts";
import { arrowHead, headRoom, verticalPath } from "./line-paths.ts";

/** A connection with the way of its line: from the foot of one figure to just above another. */
export interface Drawn {
  readonly edge: GraphEdge;
  readonly stops: readonly VerticalSegment[];
}

/** The routes of all connections that are drawn. */
export function drawnEdges(graph: ChainGraph, layout: Layout, figures: readonly Figure[]): Drawn[] {
  return graph.edges.flatMap((edge, at) => {
    const stops = layout.lines[at] ?? [];
    const [first] = stops;
    const last = stops.at(-1);
    if (first === undefined || last === undefined) return [];
    const foot = { ...first, top: first.top + (figures[first.id]?.foot ?? 0) };
    const tip = { ...last, top: last.top - headRoom, bottom: last.top - headRoom };
    return [{ edge, stops: [foot, ...stops.slice(1, -1), tip] }];
  });
}

/** The lines as XML. Shared parts are drawn once, and so is the head at each target. */
export function drawEdges(drawn: readonly Drawn[]): string {
  const done = new Set<string>();
  const lines: string[] = [];
  const heads = new Map<number, string>();
  for (const { edge, stops } of drawn) {
    const tip = stops.at(-1);
    if (tip !== undefined) heads.set(tip.id, arrowHead({ x: tip.x, y: tip.bottom + headRoom }));
    for (const run of freshRuns(edge.kind, stops, done)) lines.push(drawRun(edge, run));
  }
  return lines.join("") + [...heads.values()].join("");
}

/** The segments of a route that no line of this kind uses yet; where they meet one, they end at its edge. */
function freshRuns(kind: string, stops: readonly VerticalSegment[], done: Set<string>): VerticalSegment[][] {
  const runs: VerticalSegment[][] = [];
  let open: VerticalSegment[] = [];
  for (const [index, stop] of stops.entries()) {
    const before = stops[index - 1];
    if (before === undefined) continue;
    const key = `${kind} ${before.id} ${stop.id}`;
    if (done.has(key)) {
      const joined = open.pop();
      if (joined !== undefined) open.push({ ...joined, bottom: joined.top });
      open = [];
      continue;
    }
    done.add(key);
    if (open.length === 0) {
      open.push(index === 1 ? before : { ...before, top: before.bottom });
      runs.push(open);
    }
    open.push(stop);
  }
  return runs;
}

function drawRun(edge: GraphEdge, run: readonly VerticalSegment[]): string {
  const reads = edge.reads.length === 0 ? "" : `: ${edge.reads.join(", ")}`;
  const title = element("title", {}, escapeXml(prose(`${edge.from} \u2192 ${edge.to}${reads}`)));
  return element("path", { class: `line ${edge.kind}`, d: verticalPath(run) }, title);
}

import type { VerticalSegment } from "../layout/layout-graph.ts";
import type { Drawn } from "./draw-edges.ts";
import { type Point, pointOnTurn } from "./line-paths.ts";
import { type Font, fitText, textWidth } from "./text-width.ts";
import { renderText } from "./render-text.ts";
import { element, escapeOneLine } from "./render-xml.ts";

const font: Font = { size: 10.5, face: "mono" };
const height = 15;
const widest = 150;

interface Segment {
  readonly upper: VerticalSegment;
  readonly lower: VerticalSegment;
}

interface Label {
  readonly text: string;
  readonly at: Point;
  readonly width: number;
}

/**
 * The labels as XML. Each label stands on a segment that its line shares with no other, where it covers neither another
 * label nor another line. If no position is free, the label is shown only as the tooltip of its line.
 */
export function drawEdgeLabels(drawn: readonly Drawn[]): string {
  const gaps = gapsOf(drawn);
  const labels: Label[] = [];
  const taken = new Map<number, Label[]>();
  for (const { edge, stops } of drawn) {
    if (edge.label === undefined) continue;
    const text = fitText(escapeOneLine(edge.label), font, widest);
    const width = textWidth(text, font) + 8;
    const label = positionLabel({ text, width, stops, gaps, taken });
    if (label !== undefined) labels.push(label);
  }
  return labels.map(drawLabel).join("");
}

interface Gap {
  readonly segments: Map<string, { readonly segment: Segment; readonly users: Set<number> }>;
}

/** The segments between each two rows, and which lines use them. */
function gapsOf(drawn: readonly Drawn[]): Map<number, Gap> {
  const gaps = new Map<number, Gap>();
  for (const [user, { stops }] of drawn.entries())
    for (const segment of segmentsOf(stops)) {
      const level = levelOf(segment);
      let gap = gaps.get(level);
      if (gap === undefined) gaps.set(level, (gap = { segments: new Map() }));
      const key = keyOf(segment);
      const known = gap.segments.get(key);
      if (known === undefined) gap.segments.set(key, { segment, users: new Set([user]) });
      else known.users.add(user);
    }
  return gaps;
}

function segmentsOf(stops: readonly VerticalSegment[]): Segment[] {
  return stops.flatMap((lower, at) => {
    const upper = stops[at - 1];
    return upper === undefined ? [] : [{ upper, lower }];
  });
}

/** All segments between two rows begin at the same height. */
function levelOf({ upper }: Segment): number {
  return Math.round(upper.bottom);
}

function keyOf({ upper, lower }: Segment): string {
  return `${upper.id} ${lower.id}`;
}

interface LabelRequest {
  readonly text: string;
  readonly width: number;
  readonly stops: readonly VerticalSegment[];
  readonly gaps: ReadonlyMap<number, Gap>;
  readonly taken: Map<number, Label[]>;
}

function positionLabel({ text, width, stops, gaps, taken }: LabelRequest): Label | undefined {
  for (const segment of segmentsOf(stops).toReversed()) {
    const level = levelOf(segment);
    const gap = gaps.get(level);
    if (gap?.segments.get(keyOf(segment))?.users.size !== 1) continue;
    const others = [...gap.segments.values()].flatMap((other) =>
      keyOf(other.segment) === keyOf(segment) ? [] : [other.segment],
    );
    const near = taken.get(level) ?? [];
    const free = spots(segment, width).find((at) => {
      const label = { text, width, at };
      return !near.some((other) => overlap(label, other)) && !others.some((other) => crosses(other, label));
    });
    if (free === undefined) continue;
    const label = { text, width, at: free };
    taken.set(level, [...near, label]);
    return label;
  }
  return undefined;
}

/** Positions for a label on a segment, best first: in its middle, then aside, but never off the line. */
function spots({ upper, lower }: Segment, width: number): Point[] {
  const points = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74].map((share) => pointOnTurn(upper, lower, share));
  return [0, -width / 3, width / 3].flatMap((aside) => points.map(({ x, y }) => ({ x: x + aside, y })));
}

function overlap(a: Label, b: Label): boolean {
  return Math.abs(a.at.x - b.at.x) < (a.width + b.width) / 2 + 4 && Math.abs(a.at.y - b.at.y) < height + 1;
}

/** True if a line passes under a label. Tested at the heights of the label's edges and its middle. */
function crosses({ upper, lower }: Segment, { at, width }: Label): boolean {
  const low = Math.min(upper.x, lower.x) - 3;
  const high = Math.max(upper.x, lower.x) + 3;
  if (at.x + width / 2 < low || at.x - width / 2 > high) return false;
  for (let share = 0; share <= 1; share += 0.05) {
    const point = pointOnTurn(upper, lower, share);
    if (Math.abs(point.y - at.y) <= height / 2 + 2 && Math.abs(point.x - at.x) <= width / 2 + 3) return true;
  }
  return false;
}

function drawLabel({ text, at, width }: Label): string {
  const box = { x: at.x - width / 2, y: at.y - height / 2, width, height, rx: 4 };
  const position = { x: at.x, y: at.y + 3.6, font, tone: "muted", anchor: "middle" } as const;
  return element("rect", { class: "ground", ...box }) + renderText(text, position);
}

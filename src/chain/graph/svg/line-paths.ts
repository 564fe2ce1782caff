import type { VerticalSegment } from "../layout/layout-graph.ts";
import { element, short } from "./render-xml.ts";

/** Half the width and the length of an arrow's head. */
const head = { half: 4, length: 8 };

/** A point of the picture. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A smooth path down through stops; between two of them it turns aside only where there are no boxes. */
export function verticalPath(stops: readonly VerticalSegment[]): string {
  const [first] = stops;
  if (first === undefined) return "";
  let d = `M${short(first.x)} ${short(first.top)}`;
  let at: Point = { x: first.x, y: first.top };
  for (const [index, stop] of stops.entries()) {
    const before = stops[index - 1];
    if (before !== undefined && Math.abs(before.x - stop.x) >= 0.5) {
      if (at.y < before.bottom) d += `V${short(before.bottom)}`;
      d += turn({ x: before.x, y: before.bottom }, { x: stop.x, y: stop.top });
      at = { x: stop.x, y: stop.top };
    }
    // Straight stretches are written once, at their end.
    if (index === stops.length - 1 && at.y < stop.bottom) d += `V${short(stop.bottom)}`;
  }
  return d;
}

/** A curve that begins and ends straight down and stays between its ends. */
function turn(from: Point, to: Point): string {
  const middle = short((from.y + to.y) / 2);
  return `C${short(from.x)} ${middle} ${short(to.x)} ${middle} ${short(to.x)} ${short(to.y)}`;
}

/** The head of an arrow that points down at a point. */
export function arrowHead({ x, y }: Point): string {
  const base = short(y - head.length);
  const d = `M${short(x)} ${short(y)}L${short(x - head.half)} ${base}H${short(x + head.half)}Z`;
  return element("path", { class: "head", d });
}

/** Distance above its target at which a line ends, so that it does not show beyond its head. */
export const headRoom: number = head.length - 2;

/** A dashed arrow to the right, to a fallback. */
export function arrowRight(from: Point, to: Point): string {
  const end = to.x - headRoom;
  const middle = short((from.x + end) / 2);
  const way =
    Math.abs(from.y - to.y) < 0.5
      ? `H${short(end)}`
      : `C${middle} ${short(from.y)} ${middle} ${short(to.y)} ${short(end)} ${short(to.y)}`;
  const base = short(to.x - head.length);
  const tip = `M${short(to.x)} ${short(to.y)}L${base} ${short(to.y - head.half)}V${short(to.y + head.half)}Z`;
  return (
    element("path", { class: "line fallback", d: `M${short(from.x)} ${short(from.y)}${way}` }) +
    element("path", { class: "head", d: tip })
  );
}

/** The point of a turn between two stops at the share `t` of its length. */
export function pointOnTurn(upper: VerticalSegment, lower: VerticalSegment, t: number): Point {
  const ease = t * t * (3 - 2 * t);
  // Both middle points of the curve are at half height.
  const rise = 1.5 * t * (1 - t) + t ** 3;
  return { x: upper.x + (lower.x - upper.x) * ease, y: upper.bottom + (lower.top - upper.bottom) * rise };
}

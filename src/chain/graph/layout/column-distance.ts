import { numberAt } from "./array-access.ts";
import type { LayeredGraph } from "./layered-graph.ts";

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

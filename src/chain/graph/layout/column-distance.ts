import { numberAt } from "./entry-at.ts";
import type { LayeredGraph } from "./layered-graph.ts";

/** Room between two boxes of a row. */
export const columnGap = 28;

/** Room between a box and a line that passes it. */
const passingGap = 20;

/** Room between two lines. */
const lineGap = 7;

/** How far the axes of two neighbours in a row are apart at least. */
export function columnDistance(
  { boxes, left, right }: Pick<LayeredGraph, "boxes" | "left" | "right">,
  id: number,
  next: number,
): number {
  const lines = Number(id >= boxes) + Number(next >= boxes);
  return numberAt(right, id) + ([columnGap, passingGap, lineGap][lines] ?? 0) + numberAt(left, next);
}

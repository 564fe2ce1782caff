import { duration } from "../describe-step.ts";
import type { GraphStep } from "../graph.ts";
import { type IconName, icon } from "./icons.ts";
import { type Font, fitText, textWidth } from "./text-width.ts";
import { renderText } from "./render-text.ts";
import { element, escapeOneLine } from "./render-xml.ts";

const chipFont: Font = { size: 10.5, face: "sans" };
const chipHeight = 18;
const chipGap = 5;
/** From the left edge of a chip to its text, and from its text to its right edge. */
const before = 22;
const after = 8;

interface Chip {
  readonly icon: IconName;
  readonly text: string;
  readonly x: number;
  readonly row: number;
  readonly width: number;
}

/** Small marks of a step in rows, and their size. */
export interface ChipRows {
  readonly chips: readonly Chip[];
  readonly width: number;
  readonly height: number;
}

/** Lays out the features of a step as rows of chips no wider than `room`. */
export function layChips(step: GraphStep, room: number): ChipRows {
  const chips: Chip[] = [];
  let x = 0;
  let row = 0;
  let width = 0;
  for (const [name, words] of marksOf(step)) {
    const text = fitText(words, chipFont, room - before - after);
    const own = Math.min(room, before + textWidth(text, chipFont) + after);
    if (x > 0 && x + own > room) {
      x = 0;
      row++;
    }
    chips.push({ icon: name, text, x, row, width: own });
    width = Math.max(width, x + own);
    x += own + chipGap;
  }
  return { chips, width, height: chips.length === 0 ? 0 : (row + 1) * (chipHeight + chipGap) + 4 };
}

function marksOf(step: GraphStep): [IconName, string][] {
  const marks: [IconName, string][] = [];
  if (step.approval !== undefined) marks.push(["approval", "approval"]);
  if (step.repeat !== undefined) marks.push(["repeat", `repeat \u2264 ${step.repeat.max}`]);
  if (step.retry !== undefined) marks.push(["retry", `retry ${step.retry}`]);
  if (step.cacheMs !== undefined) marks.push(["cache", `cache ${duration(step.cacheMs)}`]);
  if (step.compensate !== undefined) marks.push(["undo", escapeOneLine(step.compensate)]);
  return marks;
}

/** The chips as XML, their first row at the given position. */
export function drawChips({ chips }: ChipRows, { x, y }: { x: number; y: number }): string {
  return chips
    .map((chip) => {
      const left = x + chip.x;
      const top = y + chip.row * (chipHeight + chipGap);
      const tone = chip.icon === "approval" ? "approval" : "";
      return [
        element("rect", {
          class: `chip ${tone}`.trim(),
          x: left,
          y: top,
          width: chip.width,
          height: chipHeight,
          rx: 9,
        }),
        icon(chip.icon, { x: left + 6, y: top + 3, tone }),
        renderText(chip.text, { x: left + before, y: top + 12.8, font: chipFont, tone: `muted ${tone}`.trim() }),
      ].join("");
    })
    .join("");
}

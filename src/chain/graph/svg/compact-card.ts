import { describeStep } from "../describe-step.ts";
import type { GraphStep } from "../graph.ts";
import type { Figure } from "./figure.ts";
import { type Font, fitText, textWidth } from "./text-width.ts";
import { writeText } from "./write-text.ts";
import { element, escapeXml, oneLine, prose } from "./write-xml.ts";

const font: Font = { size: 11, face: "sans", bold: true };
const height = 24;
const widest = 120;

/** A step as a small card with its id alone, for pictures of very many; the tooltip holds the rest. */
export function compactCard(step: GraphStep): Figure {
  const id = fitText(oneLine(step.id), font, widest);
  const half = Math.ceil(textWidth(id, font) + 22) / 2;
  return {
    left: half,
    right: half,
    height,
    foot: height,
    draw: (x, y) => {
      const box = { x: x - half, y, width: half * 2, height, rx: 4 };
      const parts = [
        element("title", {}, escapeXml(describeStep(step).split("\n").map(prose).join("\n"))),
        element("rect", { class: "card", ...box }),
        element("rect", { class: `bar ${step.effect}`, x: x - half, y, width: 4, height, rx: 2 }),
        element("rect", { class: "edge", ...box }),
        writeText(id, { x: x - half + 12, y: y + 16, font, tone: "text" }),
      ];
      return element("g", {}, parts.join(""));
    },
  };
}

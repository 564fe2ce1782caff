import type { GraphPort } from "../graph.ts";
import type { Figure } from "./figure.ts";
import { type Font, fitText, textWidth } from "./text-width.ts";
import { writeSpans } from "./write-text.ts";
import { element, escapeXml, oneLine, prose } from "./write-xml.ts";

const wordFont: Font = { size: 11.5, face: "sans" };
const fieldFont: Font = { size: 12, face: "mono" };
const height = 34;
const pad = 18;
const gap = 10;
const widestFields = 420;

/** What goes into a chain, or comes out of it, as a pill. */
export function portPill(port: GraphPort): Figure {
  const names = port.fields.map((field) => oneLine(field));
  const fields = fitText(names.join(" \u00b7 "), fieldFont, widestFields);
  const word = textWidth(port.kind, wordFont);
  const width = pad * 2 + word + (fields === "" ? 0 : gap + textWidth(fields, fieldFont));
  const half = Math.ceil(width) / 2;
  return {
    left: half,
    right: half,
    height,
    foot: height,
    draw: (x, y) => {
      const box = { x: x - half, y, width: half * 2, height, rx: height / 2 };
      const spans = [{ text: port.kind, font: wordFont, tone: "muted" }];
      const named = { text: fields, font: fieldFont, tone: "text", gap };
      const parts = [
        element("title", {}, escapeXml(prose(`${port.kind}: ${names.join(", ")}`))),
        element("rect", { class: "strip", ...box }),
        element("rect", { class: "edge", ...box }),
        writeSpans(fields === "" ? spans : [...spans, named], { x, y: y + 21, anchor: "middle" }),
      ];
      return element("g", {}, parts.join(""));
    },
  };
}

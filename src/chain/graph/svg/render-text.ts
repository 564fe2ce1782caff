import type { Font } from "./text-width.ts";
import { element, escapeXml } from "./write-xml.ts";

/** How a text is written. */
export interface TextStyle {
  readonly font: Font;
  /** Classes of the style sheet. */
  readonly tone: string;
}

/** Where a line of text begins, or where its middle or end is. */
export interface TextPlace {
  readonly x: number;
  /** The line on which the letters stand. */
  readonly y: number;
  readonly anchor?: "middle" | "end";
}

/** A line of text as XML. */
export function writeText(text: string, { font, tone, ...place }: TextPlace & TextStyle): string {
  return element("text", { ...placeOf(place), ...styleOf({ font, tone }) }, escapeXml(text));
}

/** A piece of a line. */
export interface Span extends TextStyle {
  readonly text: string;
  /** Room before it. */
  readonly gap?: number;
}

/** Several pieces in one line: each begins where the one before really ends, whatever the fonts are. */
export function writeSpans(spans: readonly Span[], place: TextPlace): string {
  const pieces = spans.map(({ text, gap, ...style }) =>
    element("tspan", { dx: gap, ...styleOf(style) }, escapeXml(text)),
  );
  return element("text", placeOf(place), pieces.join(""));
}

function placeOf({ x, y, anchor }: TextPlace): Record<string, string | number | undefined> {
  return { x, y, "text-anchor": anchor };
}

function styleOf({ font, tone }: TextStyle): Record<string, string | number> {
  const classes = [tone, font.face === "mono" ? "mono" : "", font.bold === true ? "bold" : ""];
  return { "font-size": font.size, class: classes.filter((name) => name !== "").join(" ") };
}

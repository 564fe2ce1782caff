import type { Font } from "./text-width.ts";
import { element, escapeXml } from "./render-xml.ts";

/** Style of a text. */
export interface TextStyle {
  readonly font: Font;
  /** Classes of the style sheet. */
  readonly tone: string;
}

/** Position of the start, the middle or the end of a line of text. */
export interface TextPosition {
  readonly x: number;
  /** The baseline of the letters. */
  readonly y: number;
  readonly anchor?: "middle" | "end";
}

/** A line of text as XML. */
export function renderText(text: string, { font, tone, ...position }: TextPosition & TextStyle): string {
  return element("text", { ...positionAttributes(position), ...styleOf({ font, tone }) }, escapeXml(text));
}

/** A piece of a line. */
export interface StyledRun extends TextStyle {
  readonly text: string;
  /** Gap before it. */
  readonly gap?: number;
}

/** Several pieces in one line: each begins where the one before really ends, with any fonts. */
export function renderTextRuns(spans: readonly StyledRun[], position: TextPosition): string {
  const pieces = spans.map(({ text, gap, ...style }) =>
    element("tspan", { dx: gap, ...styleOf(style) }, escapeXml(text)),
  );
  return element("text", positionAttributes(position), pieces.join(""));
}

function positionAttributes({ x, y, anchor }: TextPosition): Record<string, string | number | undefined> {
  return { x, y, "text-anchor": anchor };
}

function styleOf({ font, tone }: TextStyle): Record<string, string | number> {
  const classes = [tone, font.face === "mono" ? "mono" : "", font.bold === true ? "bold" : ""];
  return { "font-size": font.size, class: classes.filter((name) => name !== "").join(" ") };
}

import { cutDisplay, displayWidth } from "../../text/index.ts";
import type { Style } from "../terminal.ts";

/** A piece of a line and how it is painted. */
export type Span = readonly [text: string, style?: Style];

/** A line of painted pieces, cut to a width: what is cut away is never painted. */
export function paintSpans(
  spans: readonly Span[],
  width: number,
  tint: (style: Style, text: string) => string = (_style, text) => text,
): string {
  let line = "";
  let room = width;
  const last = spans.findLastIndex(([text]) => text.trimEnd() !== "");
  for (const [text, style] of spans.slice(0, last + 1)) {
    const cut = cutDisplay(text, room);
    if (cut !== "") line += style === undefined ? cut : tint(style, cut);
    room -= displayWidth(cut);
    if (cut !== text || room <= 0) break;
  }
  return line;
}

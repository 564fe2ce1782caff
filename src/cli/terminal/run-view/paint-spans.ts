import { cutDisplay, displayWidth } from "../../../text/index.ts";
import type { Style } from "../terminal.ts";

/** A piece of a line with its style. */
export type StyledText = readonly [text: string, style?: Style];

/** Paints the pieces of a line, cut to a width: omitted text is never painted. */
export function paintSpans(
  spans: readonly StyledText[],
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

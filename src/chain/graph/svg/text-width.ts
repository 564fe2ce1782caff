import { displayWidth, graphemes } from "../../../text/index.ts";

/** A way to write text; sizes in pixels. */
export interface Font {
  readonly size: number;
  readonly face: "sans" | "mono";
  readonly bold?: boolean;
}

/** Shares of the font size that letters take in the widest of the usual fonts, so that text fits in all of them. */
const sansWidths: readonly (readonly [RegExp, number])[] = [
  [/[ijlIJ.,:;'|! ]/, 0.34],
  [/[()[\]/\\ftr"*-]/, 0.42],
  [/[mwMW@%]/, 1],
  [/[A-Z0-9+=<>#&^~{}$]/, 0.76],
  [/[ -~]/, 0.63],
];

/** About how wide a text is; never much less than it will be. */
export function textWidth(text: string, font: Font): number {
  let width = 0;
  for (const character of graphemes(text)) width += letterWidth(character, font);
  return width;
}

/** A text cut so that it takes at most `width`, an ellipsis included. */
export function fitText(text: string, font: Font, width: number): string {
  const ending = letterWidth("…", font);
  let used = 0;
  let whole = "";
  let kept = "";
  for (const character of graphemes(text)) {
    used += letterWidth(character, font);
    if (used > width) return `${kept.trimEnd()}…`;
    whole += character;
    if (used + ending <= width) kept = whole;
  }
  return text;
}

/** A text in lines of at most `width`; what does not fit into `most` lines is cut. Chinese breaks anywhere. */
export function wrapText(text: string, font: Font, { width, most }: { width: number; most: number }): string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const part of text.match(
    /\s+|[\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef]|[^\s\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef]+/gu,
  ) ?? []) {
    const size = textWidth(part, font);
    if (used + size > width && line.trim() !== "") {
      if (lines.length === most - 1) return [...lines, fitText(`${line}${part}…`, font, width)];
      lines.push(line.trim());
      line = "";
      used = 0;
    }
    if (line === "" && part.trim() === "") continue;
    line += part;
    used += size;
  }
  if (line.trim() !== "") lines.push(line.trim());
  return lines.map((each) => fitText(each, font, width));
}

function letterWidth(character: string, { size, face, bold }: Font): number {
  const columns = displayWidth(character);
  if (columns !== 1) return (columns * size) / 2;
  if (face === "mono") return size * 0.602;
  // In most fonts letters are narrower; the room around a text takes up the rest in the widest.
  const share = sansWidths.find(([letters]) => letters.test(character))?.[1] ?? 0.72;
  return size * share * 0.94 * (bold === true ? 1.12 : 1);
}

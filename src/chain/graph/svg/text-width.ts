import { displayWidth, graphemes } from "../../../text/index.ts";

/** Font of a text; sizes in pixels. */
export interface Font {
  readonly size: number;
  readonly face: "sans" | "mono";
  readonly bold?: boolean;
}

/** Widths of letters as shares of the font size in the widest common font, so that text fits in all of them. */
const sansWidths: readonly (readonly [RegExp, number])[] = [
  [/[ijlIJ.,:;'|! ]/, 0.34],
  [/[()[\]/\\ftr"*-]/, 0.42],
  [/[mwMW@%]/, 1],
  [/[A-Z0-9+=<>#&^~{}$]/, 0.76],
  [/[ -~]/, 0.63],
];

/** Approximate width of a text; never much less than the real one. */
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
  let fitting = "";
  for (const character of graphemes(text)) {
    used += letterWidth(character, font);
    if (used > width) return `${fitting.trimEnd()}…`;
    whole += character;
    if (used + ending <= width) fitting = whole;
  }
  return text;
}

/** A text in lines of at most `width`; the rest after `max` lines is cut. Chinese breaks anywhere. */
export function wrapSvgText(text: string, font: Font, { width, max }: { width: number; max: number }): string[] {
  // A part without a break, such as a long word, can be wider than a line.
  const fitLines = (texts: string[]) => texts.map((each) => fitText(each, font, width));
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const part of text.match(
    /\s+|[\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef]|[^\s\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef]+/gu,
  ) ?? []) {
    const size = textWidth(part, font);
    if (used + size > width && line.trim() !== "") {
      if (lines.length === max - 1) return fitLines([...lines, `${line}${part}…`]);
      lines.push(line.trim());
      line = "";
      used = 0;
    }
    if (line === "" && part.trim() === "") continue;
    line += part;
    used += size;
  }
  if (line.trim() !== "") lines.push(line.trim());
  return fitLines(lines);
}

function letterWidth(character: string, { size, face, bold }: Font): number {
  const columns = displayWidth(character);
  if (columns !== 1) return (columns * size) / 2;
  if (face === "mono") return size * 0.602;
  // In most fonts letters are narrower; the padding around a text absorbs the rest in the widest.
  const share = sansWidths.find(([letters]) => letters.test(character))?.[1] ?? 0.72;
  return size * share * 0.94 * (bold === true ? 1.12 : 1);
}

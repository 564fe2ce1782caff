/** Text whose width is its length, which is most text. */
const plain = /^[\x20-\x7e]*$/;

/** East Asian wide and full-width characters; emoji are found by their own property. */
const wide =
  /^(?:[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|.\ufe0f)/su;

let segmenter: Intl.Segmenter | undefined;

/** The grapheme clusters of a text: an emoji of five code points is one. */
export function* graphemes(text: string): Generator<string, void, undefined> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

let wordSegmenter: Intl.Segmenter | undefined;

/** The words of a text and the text between them; in scripts without blanks by a dictionary. */
export function wordSegments(text: string): Intl.Segments {
  wordSegmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  return wordSegmenter.segment(text);
}

/**
 * Number of terminal columns of a text: CJK and emoji two each, combining marks none.
 *
 * @example
 * ```ts
 * displayWidth("你好"); // 4
 * ```
 */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const character of graphemes(text)) width += graphemeWidth(character);
  return width;
}

/** Fills a text with spaces to a display width; a longer text stays whole. */
export function padDisplay(text: string, width: number, align: "left" | "right" = "left"): string {
  const room = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "left" ? text + room : room + text;
}

/** Cuts a text to a display width, the `ending` included, and never inside a character. */
export function cutDisplay(text: string, width: number, ending = "…"): string {
  if (text.length <= width && plain.test(text)) return text;
  const room = Math.max(0, width - displayWidth(ending));
  let used = 0;
  let retained = "";
  let whole = "";
  for (const character of graphemes(text)) {
    used += graphemeWidth(character);
    if (used > width) return retained + (displayWidth(ending) <= width ? ending : "");
    whole += character;
    if (used <= room) retained = whole;
  }
  return text;
}

function graphemeWidth(character: string): number {
  if (character.length === 1 && character >= " " && character <= "~") return 1;
  if (wide.test(character)) return 2;
  // Marks, format characters and controls have no width.
  return /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\p{Zl}\p{Zp}\u1160-\u11ff]/u.test(character) ? 0 : 1;
}

/** Characters that always start a new grapheme. */
const starter = /[\n\x20-\x7e\u00a1-\u00ac\u3001-\u3029\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff5e]/;

/** The last offset at or before `at`, in UTF-16 units, that is not inside a grapheme. */
export function graphemeBoundaryBefore(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  let start = at;
  // Flags and joined emoji can only be recognized from their beginning; most characters are beginnings.
  do start--;
  while (start > 0 && !starter.test(text.charAt(start)));
  let offset = start;
  // The preceding text and the next character decide whether there is a boundary here.
  for (const character of graphemes(text.slice(start, at + 2))) {
    if (offset + character.length > at) break;
    offset += character.length;
  }
  return offset;
}

/** True if an offset, in UTF-16 units, is between two graphemes. */
export function isGraphemeBoundary(text: string, at: number): boolean {
  return graphemeBoundaryBefore(text, at) === at;
}

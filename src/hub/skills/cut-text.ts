/** Where a sentence ends: a stop that something blank follows, or a Chinese one. */
const sentenceEnd = /[.!?]+["')\]]*(?=\s)|[。！？]+[」』”）]*/gu;

/** A text of at most so many UTF-16 units: up to the end of a sentence, or of a word and with `…`. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = longest / 2;
  let end = 0;
  for (const found of text.slice(0, longest + 1).matchAll(sentenceEnd)) {
    const after = found.index + found[0].length;
    if (after <= longest) end = after;
  }
  if (end >= half) return text.slice(0, end);
  const room = text.slice(0, Math.max(0, longest - 1));
  const blank = room.search(/\s\S*$/u);
  const cut = blank >= half ? room.slice(0, blank) : room.replace(/[\ud800-\udbff]$/, "");
  return longest < 1 ? "" : `${cut.trimEnd()}…`;
}

/** `a`, `a and b`, `a, b and c`; of many the first ones. */
export function joinWithAnd(words: readonly string[], max: number = 8): string {
  const shown = words.length > max ? [...words.slice(0, max - 1), `${words.length - max + 1} more`] : [...words];
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

/** `1 item`, `3 items`. */
export function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** `first`, `2nd`, `11th`. */
export function ordinal(number: number): string {
  if (number === 1) return "first";
  const teen = number % 100 > 10 && number % 100 < 14;
  const ending = teen ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${ending}`;
}

/** An external text within a sentence: on one line, cut, without its final stop. */
export function quoteSentence(text: string, maxLength: number = 200): string {
  const line = text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…`.toWellFormed() : line;
}

/** `a`, `a and b`, `a, b and c`; of many the first ones. */
export function listed(words: readonly string[], most: number = 8): string {
  const shown = words.length > most ? [...words.slice(0, most - 1), `${words.length - most + 1} more`] : [...words];
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

/** `1 item`, `3 items`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** `first`, `2nd`, `11th`. */
export function ordinal(number: number): string {
  if (number === 1) return "first";
  const teen = number % 100 > 10 && number % 100 < 14;
  const ending = teen ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${ending}`;
}

/** A text from elsewhere within a sentence of ours: on one line, cut, without its final stop. */
export function quoted(text: string, longest: number = 200): string {
  const line = text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length > longest ? `${line.slice(0, longest - 1)}…`.toWellFormed() : line;
}

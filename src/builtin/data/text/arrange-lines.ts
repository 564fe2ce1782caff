/** A text's lines without their ends. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|[\r\n]/);
  // What follows the last line end is no line.
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Every line once, where it is first; blank lines are no repetitions of each other. */
export function dedupeLines(lines: readonly string[], ignoreCase: boolean): string[] {
  const seen = new Set<string>();
  return lines.filter((line) => {
    const key = ignoreCase ? line.trim().toLowerCase() : line.trim();
    if (key === "") return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** How {@link sortLines} compares. */
export interface SortLinesOptions {
  readonly order: "asc" | "desc";
  /** `a2` comes before `a10`. */
  readonly numeric: boolean;
  readonly ignoreCase: boolean;
  readonly locale: string;
}

/** The lines in the order of a language; lines that compare alike stay in theirs. */
export function sortLines(
  lines: readonly string[],
  { order, numeric, ignoreCase, locale }: SortLinesOptions,
): string[] {
  const collator = new Intl.Collator(locale, { numeric, sensitivity: ignoreCase ? "accent" : "variant" });
  const sign = order === "desc" ? -1 : 1;
  return lines.toSorted((a, b) => sign * collator.compare(a, b));
}

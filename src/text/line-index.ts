import type { SourceRange } from "./problem.ts";

/** Finds the lines and columns of offsets in a text. */
export class LineIndex {
  readonly #starts: readonly number[];
  readonly #length: number;

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#starts = starts;
    this.#length = text.length;
  }

  /** The range between two offsets, which are limited to the text. */
  at(start: number, end: number = start + 1): SourceRange {
    const offset = Math.min(Math.max(0, start), this.#length);
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1, length: Math.max(1, end - start) };
  }
}

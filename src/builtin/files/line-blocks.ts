/** A line and its number. */
export interface NumberedLine {
  /** Without its line end; the beginning of a very long one. */
  readonly line: string;
  readonly number: number;
}

/** Assembles lines from a text that arrives in parts, and counts them. Lines that are too long are truncated. */
export class LineBlocks {
  readonly #maxLine: number;
  /** The beginning of a line whose end has not arrived yet. */
  #begun = "";
  /** True while the rest of that line is skipped. */
  #skipping = false;
  /** Number of lines of earlier blocks, and of this one. */
  #before = 0;
  #taken = 0;
  #longLine: number | undefined;

  constructor(maxLine: number) {
    this.#maxLine = maxLine;
  }

  /** The first line that was truncated. */
  get longLine(): number | undefined {
    return this.#longLine;
  }

  /** Takes the next part of the text, and returns all lines that end with it. */
  take(part: string, last: boolean): string {
    this.#before += this.#taken;
    const end = this.#skipping ? part.indexOf("\n") : 0;
    const rest = end === -1 ? "" : part.slice(end);
    const text = this.#begun + rest;
    const whole = last ? text.length : text.lastIndexOf("\n") + 1;
    this.#taken = countEnds(text.slice(0, whole));
    this.#skipping &&= end === -1;
    this.#begun = text.slice(whole);
    if (this.#begun.length > this.#maxLine) {
      this.#begun = this.#begun.slice(0, this.#maxLine);
      this.#skipping = true;
      this.#longLine ??= this.#before + this.#taken + 1;
    }
    return text.slice(0, whole);
  }

  /** Iterates over the lines of the block that was taken last. */
  *lines(block: string): Generator<NumberedLine> {
    let number = this.#before;
    for (let start = 0; start < block.length;) {
      const end = block.indexOf("\n", start);
      const stop = end === -1 ? block.length : end;
      number++;
      if (stop - start > this.#maxLine) this.#longLine ??= number;
      yield { line: block.slice(start, Math.min(stop, start + this.#maxLine)).replace(/\r$/, ""), number };
      start = stop + 1;
    }
  }
}

function countEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

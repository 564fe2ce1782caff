import { LineIndex, type Problem } from "./problem.ts";
import { suggest, suggestedWord } from "./suggest.ts";

/** A range of a text from its first unit to the one after its last; lines and columns from 1, as editors count them. */
export interface TextRange {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A replacement that removes a problem. */
export interface ProblemFix {
  readonly range: TextRange;
  readonly text: string;
}

/** The ranges and fixes of problems of one text. */
export class ProblemRanges {
  readonly #text: string;
  readonly #lines: LineIndex;

  constructor(text: string) {
    this.#text = text;
    this.#lines = new LineIndex(text);
  }

  /** The range that a problem underlines. */
  rangeOf(problem: Problem): TextRange {
    const { line, column } = problem;
    const end = this.#lines.at(this.#offsets(problem)[1]);
    return { line, column, endLine: end.line, endColumn: end.column };
  }

  /** Puts the suggested word in place of the misspelled one; undefined if there is none. */
  fixOf(problem: Problem): ProblemFix | undefined {
    const near = suggestedWord(problem.hint ?? "");
    if (near === undefined) return undefined;
    const written = this.#text.slice(...this.#offsets(problem));
    const quote = /^(["'])[^"'\\]*\1$/.exec(written)?.[1] ?? "";
    const word = written.slice(quote.length, written.length - quote.length);
    // Other words would need to be quoted.
    const isPlain = /^[\p{L}_][\p{L}\p{N}_./:-]*$/u.test(near);
    if (!isPlain || suggest(word, [near]) === undefined) return undefined;
    return { range: this.rangeOf(problem), text: `${quote}${near}${quote}` };
  }

  #offsets({ line, column, length = 1 }: Problem): [start: number, end: number] {
    const start = this.#lines.offsetOf(line) + column - 1;
    return [start, Math.min(start + length, this.#text.length)];
  }
}

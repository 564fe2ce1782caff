/** A position in a text: line and column from 1, columns in UTF-16 units, as editors count them. */
export interface SourceRange {
  readonly line: number;
  readonly column: number;
  /** Number of units to underline. */
  readonly length?: number;
}

/** One problem of a file, with its position. Errors make the file unusable, warnings do not. */
export interface Problem extends SourceRange {
  readonly severity: "error" | "warning";
  /** A stable identifier of the problem, such as `unknown_key`. */
  readonly code: string;
  /** Description of the problem, for people. */
  readonly message: string;
  /** Suggested fix, such as `did you mean "parameters"?` */
  readonly hint?: string;
  readonly file: string;
  /** Another file whose errors cause this problem; they are problems of that file. */
  readonly cause?: string;
}

/**
 * One problem per cause: a problem that the errors of another file cause is omitted if one of those errors is listed,
 * or if an earlier problem has the same cause.
 */
export function onePerCause(problems: readonly Problem[]): readonly Problem[] {
  const causes = new Set(
    problems.flatMap(({ severity, file, cause }) => (severity === "error" && !cause ? [file] : [])),
  );
  return problems.filter(({ cause }) => {
    if (cause === undefined) return true;
    if (causes.has(cause)) return false;
    causes.add(cause);
    return true;
  });
}

/** True if one of these makes the file unusable. */
export function hasErrors(problems: Iterable<Problem>): boolean {
  for (const problem of problems) if (problem.severity === "error") return true;
  return false;
}

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

  /** The offset at which a line begins. */
  offsetOf(line: number): number {
    return this.#starts[line - 1] ?? this.#length;
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

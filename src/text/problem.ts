/** A place in a text: line and column from 1, columns in UTF-16 units, as editors count them. */
export interface Position {
  readonly line: number;
  readonly column: number;
  /** How many units to underline. */
  readonly length?: number;
}

/** One thing that is wrong with a file, and where. Errors make the file unusable, warnings do not. */
export interface Problem extends Position {
  readonly severity: "error" | "warning";
  /** A stable word for what is wrong, such as `unknown_key`. */
  readonly code: string;
  /** For people: what is wrong here. */
  readonly message: string;
  /** What to try, such as `did you mean "parameters"?` */
  readonly hint?: string;
  readonly file: string;
}

/** Does one of these make the file unusable? */
export function hasErrors(problems: Iterable<Problem>): boolean {
  for (const problem of problems) if (problem.severity === "error") return true;
  return false;
}

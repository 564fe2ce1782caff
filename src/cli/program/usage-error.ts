/** An invalid command line; the program exits with the code for usage errors. */
export class UsageError extends Error {
  /** Hints, one per line. */
  readonly hints: readonly string[];

  constructor(message: string, ...hints: readonly string[]) {
    super(message);
    this.name = "UsageError";
    this.hints = hints;
  }
}

export function isUsageError(value: unknown): value is UsageError {
  return value instanceof UsageError;
}

import { isFailureError } from "../../base/index.ts";

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

/** Runs `work`, in which a failure with this code or reason means that the command line is invalid. */
export function orUsageError<T>(why: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isFailureError(error) && (error.code === why || error.reason === why)) throw new UsageError(error.message);
    throw error;
  }
}

export function isUsageError(value: unknown): value is UsageError {
  return value instanceof UsageError;
}

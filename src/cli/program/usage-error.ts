/** The command line asks for something that cannot be; the program ends with the code for usage. */
export class UsageError extends Error {
  /** What to do instead, a line each. */
  readonly hints: readonly string[];

  constructor(message: string, ...hints: readonly string[]) {
    super(message);
    this.name = "UsageError";
    this.hints = hints;
  }
}

import { stripUnsafe } from "../../../text/index.ts";

/** A function of the script threw: a mistake in the test, and nothing that the asker did. */
export class ScriptFault extends Error {
  constructor(cause: unknown) {
    super(`the script threw: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`, { cause });
  }

  /** With where it happened. */
  get told(): string {
    const { cause } = this;
    return cause instanceof Error && cause.stack !== undefined
      ? `the script threw: ${stripUnsafe(cause.stack)}`
      : this.message;
  }
}

import type { Execution } from "./execution.ts";

/** Asks a person, whose time is not the tool's: what is left of its own is left when they have answered. */
export async function whileAsking<T>(execution: Execution, ask: () => Promise<T>): Promise<T> {
  const asking = ask();
  // A handler that asks at once is not pending yet.
  await Promise.resolve();
  const goOn = execution.pending?.pause();
  try {
    return await asking;
  } finally {
    goOn?.();
  }
}

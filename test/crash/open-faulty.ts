import { writeFileSync } from "node:fs";
import type { SqliteStore } from "../../src/adapters/index.ts";
import { type SqliteOptions, openSqliteWith } from "../../src/adapters/sqlite/journal/open-sqlite.ts";
import { workerUrl } from "../../src/adapters/sqlite/thread/lazy-thread.ts";
import type { FailureError } from "../../src/base/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";

/** Faults of a writer thread. */
export type Fault = "dies" | "dies-once-before-commit" | "dies-once-after-commit" | "full" | "slow" | "hangs";

/** A store whose writer thread has a fault. */
export interface FaultyStore {
  readonly store: SqliteStore;
  /** Errors that `onError` received. */
  readonly errors: FailureError[];
  /** Ends the fault. */
  readonly cure: () => void;
}

/** Opens a store whose writer thread is `faulty-writer.ts`. */
export async function openFaulty(
  fault: Fault,
  options: Pick<SqliteOptions, "file" | "buffer" | "clock">,
): Promise<FaultyStore> {
  const errors: FailureError[] = [];
  const cured = `${options.file}.cured`;
  // A thread gets a copy of the environment when it starts.
  Object.assign(process.env, { WINDLASS_TEST_FAULT: fault, WINDLASS_TEST_CURE: cured });
  const store = await openSqliteWith(
    { ...options, redactor: createRedactor([]), onError: (failure) => errors.push(failure) },
    (role) => (role === "writer" ? new URL("faulty-writer.ts", import.meta.url) : workerUrl(role)),
  );
  return { store, errors, cure: () => writeFileSync(cured, "") };
}

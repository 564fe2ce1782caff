import { join } from "node:path";
import { type SqliteStore, openSqlite } from "../adapters/index.ts";
import { exists, findWorkspace } from "../app/index.ts";
import { createRedactor } from "../text/index.ts";

/** The database of the workspace here, without its tools: looking back must not run anybody's code. */
export interface Journal {
  readonly dir: string;
  /** Undefined where nothing was ever recorded; looking does not make a database. */
  readonly store: SqliteStore | undefined;
}

/** Opens the database of the workspace that this folder belongs to, runs `work`, and lets go of it. */
export async function withJournal<T>(work: (journal: Journal) => Promise<T>): Promise<T> {
  const dir = await findWorkspace(".");
  const file = journalFile(dir);
  if (!(await exists(file))) return await work({ dir, store: undefined });
  const store = await openSqlite({ file, redactor: createRedactor([]) });
  try {
    return await work({ dir, store });
  } finally {
    await store.close();
  }
}

/** Where a workspace keeps its records and approvals. */
export function journalFile(dir: string): string {
  return join(dir, ".windlass", "journal.db");
}

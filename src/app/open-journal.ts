import { join } from "node:path";
import { type SqliteStore, openIndex, openSqlite } from "../adapters/index.ts";
import {
  type ApprovalStore,
  type RecordStore,
  type ResultCache,
  type Retention,
  type RunJournal,
  createMemoryApprovals,
  createMemoryRecords,
  createMemoryRuns,
} from "../store/index.ts";
import { type FailureError, fail, makeDataFolder } from "../base/index.ts";
import type { Redactor } from "../text/index.ts";

/** Where a workspace keeps its records, approvals and runs. */
export interface Journal {
  readonly records: RecordStore;
  readonly approvals: ApprovalStore;
  readonly runs: RunJournal;
  /** Results that are used again, also by later processes; undefined in memory, where an engine has its own. */
  readonly cache: ResultCache | undefined;
  /** The database; undefined in memory. */
  readonly store: SqliteStore | undefined;
  close(): Promise<void>;
}

/** What {@link openJournal} takes besides the folder. */
export interface JournalOptions {
  readonly retention: Retention;
  readonly redactor: Redactor;
  /** Told of what no caller waits for; a process warning where absent. */
  readonly onError?: ((failure: FailureError) => void) | undefined;
}

/** Opens, or makes, the database of a workspace: `.windlass/journal.db`. */
export async function openJournal(dir: string, options: JournalOptions): Promise<Journal> {
  const { retention, redactor, onError } = options;
  const data = join(dir, ".windlass");
  makeFolder(data);
  const file = join(data, "journal.db");
  const store = await openSqlite({ file, redactor, retention, ...(onError !== undefined && { onError }) });
  const { records, approvals, runs } = store;
  // Touches nothing before something is kept or looked up.
  const index = openIndex({ file: join(data, "index.db"), ...(onError !== undefined && { onError }) });
  const close = async (): Promise<void> => {
    index.close();
    await store.close();
  };
  return { store, records, approvals, runs, cache: index.cache, close };
}

function makeFolder(data: string): void {
  try {
    makeDataFolder(data);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOSPC") {
      throw fail(`the disk of ${data} is full; free some space`, { code: "store_full", reason: "disk_full" });
    }
    const why = error instanceof Error ? error.message : String(error);
    throw fail(`the data folder cannot be made: ${why}`, { code: "store_failed", reason: "cannot_open", cause: error });
  }
}

/** The same without a file, gone with the process. */
export function memoryJournal(redactor: Redactor): Journal {
  const records = createMemoryRecords({ redactor });
  const approvals = createMemoryApprovals({});
  return {
    records,
    approvals,
    runs: createMemoryRuns({ records }),
    cache: undefined,
    store: undefined,
    close: () => records.close(),
  };
}

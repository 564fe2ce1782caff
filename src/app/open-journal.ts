import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type SqliteStore, openSqlite } from "../adapters/index.ts";
import {
  type ApprovalStore,
  type RecordStore,
  type Retention,
  createMemoryApprovals,
  createMemoryRecords,
} from "../store/index.ts";
import type { Redactor } from "../text/index.ts";
import { exists } from "./find-workspace.ts";

/** Where a workspace keeps its records and approvals. */
export interface Journal {
  readonly records: RecordStore;
  readonly approvals: ApprovalStore;
  /** The database; undefined in memory. */
  readonly store: SqliteStore | undefined;
  close(): Promise<void>;
}

/** Opens, or makes, the database of a workspace: `.windlass/journal.db`. */
export async function openJournal(dir: string, retention: Retention, redactor: Redactor): Promise<Journal> {
  const data = join(dir, ".windlass");
  if (!(await exists(data))) {
    await mkdir(data, { recursive: true });
    // Data of this folder, not of its repository.
    await writeFile(join(data, ".gitignore"), "*\n");
  }
  const store = await openSqlite({ file: join(data, "journal.db"), redactor, retention });
  return { store, records: store.records, approvals: store.approvals, close: () => store.close() };
}

/** The same without a file, gone with the process. */
export function memoryJournal(redactor: Redactor): Journal {
  const records = createMemoryRecords({ redactor });
  return { records, approvals: createMemoryApprovals({}), store: undefined, close: () => records.close() };
}

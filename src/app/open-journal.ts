import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type SqliteStore, openIndex, openSqlite, openSqliteReadOnly } from "../adapters/index.ts";
import {
  type ApiTokenStore,
  type ApprovalStore,
  type DeliveryStore,
  type AuditLog,
  type ChangeFeed,
  type IdempotencyKeyStore,
  InMemoryChanges,
  type RecordStore,
  type ResultCache,
  type Retention,
  type RunStore,
  type TriggerStore,
  createInMemoryApiTokens,
  createInMemoryApprovals,
  createInMemoryDeliveries,
  createInMemoryAuditLog,
  createInMemoryIdempotencyKeys,
  createInMemoryRecords,
  createInMemoryRunJournal,
  createInMemoryTriggers,
} from "../store/index.ts";
import { type FailureError, fail, createDataFolder, isReadOnly, systemErrorCode, errorMessage } from "../base/index.ts";
import { auditedApprovals } from "./audit.ts";
import type { Engine } from "../engine/index.ts";
import { type RunPorts, RunService } from "../run/index.ts";
import { channelsOfEnd } from "./callbacks.ts";
import type { Redactor } from "../secrets/index.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** The stores of a workspace for records, approvals, runs, and access to its server. */
export interface WorkspaceJournal {
  readonly records: RecordStore;
  readonly approvals: ApprovalStore;
  readonly runs: RunStore;
  readonly tokens: ApiTokenStore;
  readonly deliveries: DeliveryStore;
  readonly idempotencyKeys: IdempotencyKeyStore;
  readonly audit: AuditLog;
  /** The changes of runs and approvals. */
  readonly changes: ChangeFeed;
  readonly triggers: TriggerStore;
  /** Cached results, shared with later processes; undefined in memory, where an engine has its own cache. */
  readonly cache: ResultCache | undefined;
  /** The database; undefined in memory. */
  readonly store: SqliteStore | undefined;
  close(): Promise<void>;
}

/** Options of {@link openJournal} besides the folder. */
export interface OpenJournalOptions {
  readonly retention: Retention;
  readonly redactor: Redactor;
  /** Called for failures without a waiting caller. Default: a process warning. */
  readonly onError?: ((failure: FailureError) => void) | undefined;
}

/** Opens or creates the database of a workspace: `.windlass/journal.db`. */
export async function openJournal(dir: string, options: OpenJournalOptions): Promise<WorkspaceJournal> {
  const { retention, redactor, onError } = options;
  const data = join(dir, ".windlass");
  makeFolder(data);
  const file = join(data, "journal.db");
  const store = await openSqlite({ file, redactor, retention, ...(onError !== undefined && { onError }) });
  // Does not touch the file before the first use.
  const index = openIndex({ file: join(data, "index.db"), ...(onError !== undefined && { onError }) });
  const close = async (): Promise<void> => {
    index.close();
    await store.close();
  };
  return { ...storesOf(store), cache: index.cache, close };
}

/** Opens the database of a workspace for reading; one of an earlier version is migrated first. In memory if there is none. */
export async function readJournal(dir: string, options: OpenJournalOptions): Promise<WorkspaceJournal> {
  const file = join(dir, ".windlass", "journal.db");
  if (!existsSync(file)) return memoryJournal(options.redactor);
  const store = openSqliteReadOnly({ file, redactor: options.redactor });
  if (store === undefined) return openJournal(dir, options);
  return { ...storesOf(store), cache: undefined, close: () => store.close() };
}

function storesOf(store: SqliteStore): Omit<WorkspaceJournal, "cache" | "close"> {
  const { records, runs, tokens, idempotencyKeys, audit, changes, triggers, deliveries } = store;
  const approvals = auditedApprovals(store.approvals, audit);
  return { store, records, approvals, runs, tokens, idempotencyKeys, audit, changes, triggers, deliveries };
}

function makeFolder(data: string): void {
  try {
    createDataFolder(data);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOSPC") {
      throw fail(`the disk of ${data} is full; free some space`, { code: "store_full", reason: "disk_full" });
    }
    // The error itself may be ENOENT on a read-only disk.
    const protectedFolder = [dirname(data), data].find(isReadOnly);
    const [reason, message] =
      protectedFolder === undefined
        ? ["cannot_open", `the data folder cannot be created: ${errorMessage(error)}`]
        : ["read_only", `the folder ${protectedFolder} is read-only for this user, so that nothing can be recorded`];
    throw fail(message, { code: "store_failed", reason, cause: error });
  }
}

/** The same in memory only, for the lifetime of the process. */
export function memoryJournal(redactor: Redactor): WorkspaceJournal {
  const records = createInMemoryRecords({ redactor });
  const changes = new InMemoryChanges();
  const approvals = createInMemoryApprovals({ changes });
  const audit = createInMemoryAuditLog();
  const deliveries = createInMemoryDeliveries();
  return {
    records,
    approvals: auditedApprovals(approvals, audit),
    runs: createInMemoryRunJournal({ records, approvals, changes, deliveries }),
    changes,
    tokens: createInMemoryApiTokens(),
    idempotencyKeys: createInMemoryIdempotencyKeys(),
    audit,
    triggers: createInMemoryTriggers(),
    deliveries,
    cache: undefined,
    store: undefined,
    close: () => records.close(),
  };
}

/** The service that stores and executes the durable runs of a workspace. */
export function openRunService(
  { runs: journal, approvals }: WorkspaceJournal,
  {
    engine,
    config,
  }: {
    readonly engine: Engine;
    readonly config: Pick<WorkspaceConfig, "approvals" | "callbacks">;
  },
): RunService {
  const { interruptedMs: interruptedApprovalMs } = config.approvals;
  const channelsOf: RunPorts["channelsOf"] = (run, status) => channelsOfEnd(config, run, status);
  return new RunService({ journal, approvals, interruptedApprovalMs, secrets: engine, channelsOf });
}

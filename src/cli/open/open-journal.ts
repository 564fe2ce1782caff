import { join } from "node:path";
import { type SqliteStore, openSqlite, openSqliteReadOnly } from "../../adapters/index.ts";
import { type WorkspaceJournal, auditedApprovals, findWorkspace, openJournal, pathExists } from "../../app/index.ts";
import { systemClock } from "../../base/index.ts";
import { ApprovalService } from "../../engine/index.ts";
import { createRedactor } from "../../secrets/index.ts";
import type { Invocation } from "../program/invocation.ts";
import type { RunWorkspace } from "../remote/run-workspace.ts";

/**
 * The database of the current workspace, without its tools: inspecting records must not run any code of the workspace.
 */
export interface OpenedJournal {
  readonly dir: string;
  /** Undefined if nothing was ever recorded; inspecting does not create a database. */
  readonly store: SqliteStore | undefined;
  /** Its approvals; undefined without a store. */
  readonly approvals: ApprovalService | undefined;
}

/** Opens the database of the workspace of this folder for reading, runs `work`, and closes it. */
export function withJournal<T>(work: (journal: OpenedJournal) => Promise<T>): Promise<T> {
  return withStore(work, readStore);
}

/** Stored runs and approvals, of this machine or of a server. */
export interface RunData {
  /** The workspace; empty for that of a server. */
  readonly dir: string;
  readonly store: RunWorkspace["store"];
  readonly approvals: RunWorkspace["approvals"] | undefined;
}

/** Opens the runs and approvals of the workspace of this folder, or of the server, runs `work`, and closes them. */
export async function withRunData<T>(
  invocation: Pick<Invocation, "server" | "terminal">,
  work: (data: RunData) => Promise<T>,
  { writes = false }: { readonly writes?: boolean } = {},
): Promise<T> {
  if (invocation.server === undefined) return writes ? withWritableJournal(work) : withJournal(work);
  const { store, approvals } = (await import("../remote/open-remote.ts")).openRemote(invocation);
  return work({ dir: "", store, approvals });
}

/** The same for commands that change the database. */
export function withWritableJournal<T>(work: (journal: OpenedJournal) => Promise<T>): Promise<T> {
  return withStore(work, (file) => openSqlite({ file, redactor: createRedactor([]) }));
}

/** The same for commands that create the database if there is none. */
export async function withNewJournal<T>(work: (journal: WorkspaceJournal) => Promise<T>): Promise<T> {
  const journal = await openJournal(await findWorkspace("."), { retention: {}, redactor: createRedactor([]) });
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

/** Opens a database for reading. One of an earlier version is migrated first. */
export async function readStore(file: string): Promise<SqliteStore> {
  const options = { file, redactor: createRedactor([]) };
  return openSqliteReadOnly(options) ?? (await openSqlite(options));
}

async function withStore<T>(
  work: (journal: OpenedJournal) => Promise<T>,
  open: (file: string) => Promise<SqliteStore>,
): Promise<T> {
  const dir = await findWorkspace(".");
  const file = journalFile(dir);
  if (!(await pathExists(file))) return await work({ dir, store: undefined, approvals: undefined });
  const store = await open(file);
  try {
    const approvals = auditedApprovals(store.approvals, store.audit);
    return await work({ dir, store, approvals: new ApprovalService(approvals, systemClock) });
  } finally {
    await store.close();
  }
}

/** Path of the database of a workspace. */
export function journalFile(dir: string): string {
  return join(dir, ".windlass", "journal.db");
}

import { dirname, join } from "node:path";
import type { SqliteStore } from "../../adapters/index.ts";
import { cliCommand, isFailureError, isReadOnly } from "../../base/index.ts";
import { formatBytes, formatCount } from "../../text/index.ts";
import { pathExists } from "../find-workspace.ts";
import { type Finding, finding } from "./check-servers.ts";

/** Opens the database of a workspace, or lends the one that is open. */
export type StoreOpener = (
  file: string,
) => Promise<{ readonly store: SqliteStore; readonly close: () => Promise<void> }>;

interface DatabaseCheck {
  /** Shortens a path for people. */
  readonly shorten: (path: string) => string;
  readonly openStore: StoreOpener;
}

/** Findings about the database, its runs, and the rights of this user to write it. */
export async function databaseFindings(dir: string, how: DatabaseCheck): Promise<Finding[]> {
  const { shorten, openStore } = how;
  const about = "database";
  const file = join(dir, ".windlass", "journal.db");
  const readOnly = await readOnlyFindings(dir, { file, shorten });
  if (!(await pathExists(file))) {
    if (readOnly.length > 0) return readOnly;
    return [finding(about, "ok", "none yet; the first call creates it")];
  }
  try {
    const { store, close } = await openStore(file);
    try {
      const { records, approvals, runs, bytes } = await store.stats();
      const { version, faults } = await store.check();
      const left = [...readOnly, ...(await runFindings(store))];
      const size = `${formatBytes(bytes)}, ${formatCount(records, "record")}, ${formatCount(runs, "run")}, ${formatCount(approvals, "approval")}`;
      const message = `${shorten(file)}: version ${version}, ${size}`;
      if (faults.length === 0) return [finding(about, "ok", `${message}, intact`), ...left];
      const todo = "restore a backup, or move the file away and start over";
      return [finding(about, "fail", `${message}; damaged: ${faults.join("; ")}`, todo), ...left];
    } finally {
      await close();
    }
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return [finding(about, "fail", error.message), ...readOnly];
  }
}

/** A finding if this user cannot write to the database, or cannot create it. */
async function readOnlyFindings(
  dir: string,
  { file, shorten }: Pick<DatabaseCheck, "shorten"> & { readonly file: string },
): Promise<Finding[]> {
  // SQLite creates files beside the database, so its folder matters as well; else the folder in which it is created.
  const folder = (await pathExists(dirname(file))) ? dirname(file) : dir;
  const path = [file, folder].find(isReadOnly);
  if (path === undefined) return [];
  const message = `${shorten(path)} is read-only for this user: only pure tools can be called, nothing is recorded, and runs cannot start`;
  return [finding("database", "warn", message, "give this user permission to write to the folder")];
}

/** Runs that need an action of the user. */
async function runFindings({ runs }: SqliteStore): Promise<Finding[]> {
  const about = "runs";
  const left = await runs.list({ abandoned: true });
  // Runs that wait for events and times need no one.
  const waiting = (await runs.list({ status: "waiting" })).filter(({ waitsFor }) => waitsFor?.events === undefined);
  const named = (found: typeof left): string => {
    const shown = found.slice(0, 3).map(({ id, name }) => `${id} of ${name}`);
    return `${shown.join(", ")}${found.length > 3 ? ", …" : ""}`;
  };
  const findings: Finding[] = [];
  if (left.length > 0) {
    const message = `${formatCount(left.length, "run")} interrupted, because the process has died: ${named(left)}`;
    findings.push(finding(about, "warn", message, `resume them with: ${cliCommand("resume")}`));
  }
  if (waiting.length > 0) {
    const message = `${formatCount(waiting.length, "run")} waiting for approval: ${named(waiting)}`;
    findings.push(finding(about, "warn", message, `list them with: ${cliCommand("approvals")}`));
  }
  return findings;
}

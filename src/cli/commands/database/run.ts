import { type WorkspaceConfig, WorkspaceError, readSettings } from "../../../app/index.ts";
import { isFailureError, fail } from "../../../base/index.ts";
import { parseSize } from "../../../schema/index.ts";
import type { Retention } from "../../../store/index.ts";
import { hasErrors } from "../../../text/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { formatBytes, formatCount } from "../../terminal/format-figures.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { withWritableJournal } from "../../open/open-journal.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { UsageError } from "../../program/usage-error.ts";
import { resolve } from "node:path";
import { stat } from "node:fs/promises";
import { relativeToCwd } from "../../terminal/report-problems.ts";

const day = 86_400_000;

/** `windlass prune`. */
export const pruneRecords: RunCommand = (invocation) =>
  withWritableJournal(async ({ dir, store }) => {
    const { terminal } = invocation;
    const retention = pruneOptions(invocation) ?? configured(await settingsOf(dir), invocation);
    const pruned = (await store?.records.prune(retention)) ?? { records: 0, bytes: 0 };
    if (invocation.flag("json")) terminal.print(safeJson({ records: pruned.records, bytes: pruned.bytes }));
    else terminal.print(`${formatCount(pruned.records, "record")} removed, ${formatBytes(pruned.bytes)} freed`);
  });

function pruneOptions(invocation: Invocation): Retention | undefined {
  const days = invocation.number("days");
  const size = invocation.text("size");
  if (days === undefined && size === undefined) return undefined;
  const maxBytes = size === undefined ? undefined : readSize(size);
  return { ...(days !== undefined && { maxAgeMs: days * day }), ...(maxBytes !== undefined && { maxBytes }) };
}

async function settingsOf(dir: string): Promise<WorkspaceConfig> {
  const { config, problems } = await readSettings(dir);
  // Settings that cannot be read might allow less to be removed.
  if (hasErrors(problems)) throw new WorkspaceError(problems);
  return config;
}

function configured({ retention }: WorkspaceConfig, invocation: Invocation): Retention {
  if (retention.maxAgeMs !== undefined || retention.maxBytes !== undefined) return retention;
  throw new UsageError(
    "windlass.yaml has no `retention`; specify what to remove",
    `to remove what is older than 30 days: ${commandLine(invocation, "prune", "--days", "30")}`,
    `to remove the oldest until 500 MB remain: ${commandLine(invocation, "prune", "--size", "500MB")}`,
  );
}

function readSize(size: string): number | undefined {
  try {
    return parseSize(size);
  } catch (error) {
    if (isFailureError(error)) throw new UsageError(`--size: ${error.message}`);
    throw error;
  }
}

/** `windlass backup`. */
export const backupDatabase: RunCommand = (invocation) =>
  withWritableJournal(async ({ store }) => {
    const { terminal, words } = invocation;
    const file = resolve(words[0] ?? "");
    if (store === undefined) throw fail("no database yet: nothing has been recorded", { code: "store_failed" });
    await store.backup(file);
    const { size } = await stat(file);
    if (invocation.flag("json")) terminal.print(safeJson({ file, bytes: size }));
    else terminal.print(`${relativeToCwd(file)}, ${formatBytes(size)}`);
  });

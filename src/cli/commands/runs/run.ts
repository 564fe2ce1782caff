import { definedOnly } from "../../../base/index.ts";
import type { RunKindId, RunQuery, RunStatus, StoredRun } from "../../../store/index.ts";
import { type Redactor, createRedactor } from "../../../secrets/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { formatCount, formatTime } from "../../terminal/format-figures.ts";
import { formatDuration } from "../../../text/index.ts";
import { type StyledColumn, tableFor } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { withRunData } from "../../open/open-journal.ts";
import { UsageError } from "../../program/usage-error.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { shortText } from "../../terminal/short-text.ts";
import type { Style } from "../../terminal/terminal.ts";
import { cliTexts } from "../../terminal/texts/cli-texts.ts";
import {
  approvalsByRun,
  promptOfRun,
  readModelKeys,
  readSecrets,
  readSettings,
  runNameFields,
  toWireRun,
} from "../../../app/index.ts";

/** `windlass runs`. */
export const showRuns: RunCommand = (invocation) =>
  withRunData(invocation, async ({ dir, store, approvals }) => {
    const { terminal } = invocation;
    const runs = (await store?.runs.list(queryOf(invocation))) ?? [];
    const abandoned = new Set(((await store?.runs.list({ abandoned: true, limit: 1000 })) ?? []).map(({ id }) => id));
    if (invocation.flag("json")) {
      const redactor = await redactorFor(invocation, dir);
      terminal.print(safeJson(runs.map((run) => toWireRun(run, { redactor, abandoned }))));
      return;
    }
    if (runs.length === 0) return terminal.log(store === undefined ? "No runs yet." : "No matching runs.");
    const redactor = await redactorFor(invocation, dir);
    for (const line of runTable(runs, { invocation, abandoned }, redactor)) terminal.print(line);
    const pending = approvals === undefined ? [] : await approvalsByRun({ approvals, store });
    const pendingRuns = new Set(pending.flatMap((each) => each.runs));
    reportNextSteps(runs, { invocation, abandoned }, pendingRuns);
  });

function queryOf(invocation: Invocation): RunQuery {
  const kinds = ["chain", "agent", "call"] as const;
  const named = kinds.find((kind) => invocation.text(runNameFields[kind]) !== undefined);
  // The command table restricts the values.
  const kind = (invocation.text("kind") as RunKindId | undefined) ?? named;
  const name = named && invocation.text(runNameFields[named]);
  if (named !== undefined && named !== kind)
    throw new UsageError(
      `--${runNameFields[named]} names a run of the kind ${named}`,
      `omit --kind, or use --kind ${named}`,
    );
  const status = invocation.text("status");
  return {
    limit: invocation.number("limit") ?? 20,
    ...definedOnly({ kind, name }),
    // The command table restricts the values.
    ...(status === "interrupted" ? { abandoned: true } : status !== undefined && { status: status as RunStatus }),
  };
}

interface RunsContext {
  readonly invocation: Invocation;
  /** Runs whose process has died. */
  readonly abandoned: ReadonlySet<string>;
}

const styles: Readonly<Record<RunStatus, Style>> = {
  running: "cyan",
  waiting: "yellow",
  success: "green",
  failed: "red",
  cancelled: "yellow",
};

/**
 * Maximum characters of an input, enough to distinguish runs, also without a terminal width; `show` prints it in full.
 */
const maxInputLength = 100;

/** Runs are stored with everything that resuming needs; users see them with secrets redacted. */
function runTable(runs: readonly StoredRun[], { invocation, abandoned }: RunsContext, redactor: Redactor): string[] {
  const rows = runs.map((run) => [
    run.id,
    abandoned.has(run.id) ? "interrupted" : run.status,
    formatTime(run.startedAt),
    run.finishedAt === undefined ? "" : formatDuration(run.finishedAt - run.startedAt),
    run.kind,
    run.name,
    shortText(run.kind === "agent" ? redactor.knownText(promptOfRun(run)) : redactor.text(run.input), maxInputLength),
  ]);
  const columns: StyledColumn[] = [
    { title: "RUN", style: "bold" },
    {
      title: "STATUS",
      style: (_cell, row) => {
        const run = runs[row];
        return run === undefined || abandoned.has(run.id) ? "yellow" : styles[run.status];
      },
    },
    "STARTED",
    { title: "TOOK", align: "right" },
    "KIND",
    "NAME",
    { title: "INPUT", long: "cut" },
  ];
  return tableFor(invocation.terminal, columns, rows);
}

/** Reports what to do next; `pendingRuns` have a pending approval. */
function reportNextSteps(
  runs: readonly StoredRun[],
  { invocation, abandoned }: RunsContext,
  pendingRuns: ReadonlySet<string>,
): void {
  const { terminal } = invocation;
  const hint = (text: string): void => terminal.log(terminal.tint("dim", text));
  if (abandoned.size > 0) {
    const whose = abandoned.size === 1 ? "whose process has died" : "whose processes have died";
    hint(`resume ${formatCount(abandoned.size, "run")} ${whose} with: ${commandLine(invocation, "resume")}`);
  }
  const waiting = runs.filter(({ status }) => status === "waiting");
  if (waiting.some(({ id }) => pendingRuns.has(id))) {
    hint(`list pending approvals with: ${commandLine(invocation, "approvals")}`);
  }
  const ready = waiting.find(({ id, waitsFor }) => !pendingRuns.has(id) && waitsFor === undefined);
  if (ready !== undefined)
    hint(cliTexts.en.approvals.awaitsWorker(ready.id, commandLine(invocation, "resume", ready.id)));
}

/** A server has redacted its runs already. */
function redactorFor({ server }: Invocation, dir: string): Promise<Redactor> {
  return server === undefined ? openRedactor(dir) : Promise.resolve(createRedactor([]));
}

/** A redactor for the secrets of a workspace, without opening the rest of the workspace. */
async function openRedactor(dir: string, env: NodeJS.ProcessEnv = process.env): Promise<Redactor> {
  const { config } = await readSettings(dir);
  const { values } = await readSecrets(config.secrets, dir, env);
  return createRedactor([...Object.values(values), ...readModelKeys(env)]);
}

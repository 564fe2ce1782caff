import { isRecord } from "../../../schema/index.ts";
import type { RunKindId, RunQuery, RunStatus, StoredRun } from "../../../store/index.ts";
import { type Redactor, createRedactor } from "../../../secrets/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { formatCount, formatTime } from "../../terminal/format-figures.ts";
import { formatDuration } from "../../../text/index.ts";
import { formatTable } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { withJournal } from "../../open/open-journal.ts";
import { approvalsByRun } from "../../approvals/list-open-approvals.ts";
import { UsageError } from "../../program/usage-error.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { shortText } from "../../terminal/short-text.ts";
import type { Style } from "../../terminal/terminal.ts";
import { readModelKeys, readSecrets, readSettings } from "../../../app/index.ts";

/** `windlass runs`. */
export const showRuns: RunCommand = (invocation) =>
  withJournal(async ({ dir, store }) => {
    const { terminal } = invocation;
    const runs = (await store?.runs.list(queryOf(invocation))) ?? [];
    const abandoned = new Set(((await store?.runs.list({ abandoned: true, limit: 1000 })) ?? []).map(({ id }) => id));
    if (invocation.flag("json")) {
      const redactor = await openRedactor(dir);
      terminal.print(safeJson(runs.map((run) => toWireRun(run, { redactor, abandoned }))));
      return;
    }
    if (runs.length === 0) {
      terminal.log(store === undefined ? "No runs yet." : "No matching runs.");
      return;
    }
    const redactor = await openRedactor(dir);
    for (const line of runTable(runs, { invocation, abandoned }, redactor)) terminal.print(line);
    const approvals = store === undefined ? [] : await approvalsByRun({ approvals: store.approvals, store });
    const pendingRuns = new Set(approvals.flatMap((each) => each.runs));
    reportNextSteps(runs, { invocation, abandoned }, pendingRuns);
  });

/** A run in the JSON output of lists. */
function toWireRun(
  run: StoredRun,
  { redactor, abandoned }: { readonly redactor: Redactor; readonly abandoned: ReadonlySet<string> },
): Record<string, unknown> {
  return {
    run_id: run.id,
    kind: run.kind,
    [nameFields[run.kind]]: run.name,
    ...(run.kind === "agent" && { prompt: redactor.knownText(promptOfRun(run)) }),
    status: run.status,
    ...(abandoned.has(run.id) && { interrupted: true }),
    started_at: new Date(run.startedAt).toISOString(),
    ...(run.finishedAt !== undefined && { finished_at: new Date(run.finishedAt).toISOString() }),
    ...(run.rerunOf !== undefined && { rerun_of: run.rerunOf }),
  };
}

/** The field with the name of a run in the JSON output: what the name is of. */
const nameFields = { chain: "chain", agent: "runner", call: "tool" } as const satisfies Record<RunKindId, string>;

function queryOf(invocation: Invocation): RunQuery {
  const kinds = ["chain", "agent", "call"] as const;
  const named = kinds.find((kind) => invocation.text(nameFields[kind]) !== undefined);
  // The command table restricts the values.
  const kind = (invocation.text("kind") as RunKindId | undefined) ?? named;
  const name = named && invocation.text(nameFields[named]);
  if (named !== undefined && named !== kind)
    throw new UsageError(
      `--${nameFields[named]} names a run of the kind ${named}`,
      `omit --kind, or use --kind ${named}`,
    );
  const status = invocation.text("status");
  return {
    limit: invocation.number("limit") ?? 20,
    ...(kind !== undefined && { kind }),
    ...(name !== undefined && { name }),
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
  const { terminal } = invocation;
  const rows = runs.map((run) => [
    run.id,
    abandoned.has(run.id) ? "interrupted" : run.status,
    formatTime(run.startedAt),
    run.finishedAt === undefined ? "" : formatDuration(run.finishedAt - run.startedAt),
    run.kind,
    run.name,
    shortText(run.kind === "agent" ? redactor.knownText(promptOfRun(run)) : redactor.text(run.input), maxInputLength),
  ]);
  return formatTable(rows, {
    width: terminal.columns,
    paintTitle: (title) => terminal.paint("dim", title),
    columns: [
      { title: "RUN", paint: (cell) => terminal.paint("bold", cell) },
      {
        title: "STATUS",
        paint: (cell, row) => {
          const run = runs[row];
          return terminal.paint(run === undefined || abandoned.has(run.id) ? "yellow" : styles[run.status], cell);
        },
      },
      { title: "STARTED" },
      { title: "TOOK", align: "right" },
      { title: "KIND" },
      { title: "NAME" },
      { title: "INPUT", long: "cut" },
    ],
  });
}

/** The prompt of an agent's run, without the conversation history. */
function promptOfRun({ input }: StoredRun): string {
  const prompt: unknown = JSON.parse(input);
  return isRecord(prompt) && typeof prompt["text"] === "string" ? prompt["text"] : input;
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
  const decided = waiting.find(({ id }) => !pendingRuns.has(id));
  if (decided !== undefined) {
    hint(
      `all approvals of a waiting run are decided; resume it with: ${commandLine(invocation, "resume", decided.id)}`,
    );
  }
}

/** A redactor for the secrets of a workspace, without opening the rest of the workspace. */
async function openRedactor(dir: string, env: NodeJS.ProcessEnv = process.env): Promise<Redactor> {
  const { config } = await readSettings(dir);
  const { values } = await readSecrets(config.secrets, dir, env);
  return createRedactor([...Object.values(values), ...readModelKeys(env)]);
}

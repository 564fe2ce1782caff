import { isRecord } from "../../schema/index.ts";
import { type RunQuery, type RunStatus, type StoredRun, isAgentRun, runnerOf } from "../../store/index.ts";
import type { Redactor } from "../../text/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { formatCount, formatDuration, formatTime } from "../format-figures.ts";
import { formatTable } from "../format-table.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { withJournal } from "../open-journal.ts";
import { askedByRuns } from "../open-questions.ts";
import { redactorHere } from "../redactor-here.ts";
import { safeJson } from "../safe-json.ts";
import { shortText } from "../short-text.ts";
import type { Style } from "../terminal.ts";

/** `windlass runs`. */
export const showRuns: RunCommand = (invocation) =>
  withJournal(async ({ dir, store }) => {
    const { terminal } = invocation;
    const runs = (await store?.runs.list(queryOf(invocation))) ?? [];
    if (invocation.flag("json")) {
      const redactor = await redactorHere(dir);
      terminal.print(safeJson(runs.map((run) => toWireRun(run, redactor))));
      return;
    }
    if (runs.length === 0) {
      terminal.tell(store === undefined ? "Nothing was run here yet." : "No run matches.");
      return;
    }
    const left = new Set(((await store?.runs.list({ abandoned: true })) ?? []).map(({ id }) => id));
    const redactor = await redactorHere(dir);
    for (const line of runTable(runs, { invocation, left, redactor })) terminal.print(line);
    const asked = store === undefined ? [] : await askedByRuns({ approvals: store.approvals, store });
    const asking = new Set(asked.flatMap((each) => each.runs));
    tellNext(runs, { invocation, left, asking });
  });

/** A run as lists show it to programs. */
function toWireRun(run: StoredRun, redactor: Redactor): Record<string, unknown> {
  return {
    run_id: run.id,
    chain: run.chain,
    ...(isAgentRun(run) && { runner: runnerOf(run), question: redactor.knownText(questionOf(run)) }),
    status: run.status,
    started_at: new Date(run.startedAt).toISOString(),
    ...(run.finishedAt !== undefined && { finished_at: new Date(run.finishedAt).toISOString() }),
    ...(run.rerunOf !== undefined && { rerun_of: run.rerunOf }),
  };
}

function queryOf(invocation: Invocation): RunQuery {
  const chain = invocation.text("chain");
  const status = invocation.text("status");
  return {
    limit: invocation.number("limit") ?? 20,
    ...(chain !== undefined && { chain }),
    // The command line takes no other words.
    ...(status !== undefined && { status: status as RunStatus }),
  };
}

interface Setting {
  readonly invocation: Invocation;
  /** Runs whose process is gone. */
  readonly left: ReadonlySet<string>;
}

interface TableSetting extends Setting {
  /** Runs are kept with what they need to go on; people see it without secrets. */
  readonly redactor: Redactor;
}

const styles: Readonly<Record<RunStatus, Style>> = {
  running: "cyan",
  waiting: "yellow",
  success: "green",
  failed: "red",
  cancelled: "yellow",
};

/** Of an input, as much as tells runs apart, also where no terminal sets the width; `show` has it whole. */
const longestInput = 100;

function runTable(runs: readonly StoredRun[], { invocation, left, redactor }: TableSetting): string[] {
  const { terminal } = invocation;
  const rows = runs.map((run) => [
    run.id,
    left.has(run.id) ? "interrupted" : run.status,
    formatTime(run.startedAt),
    run.finishedAt === undefined ? "" : formatDuration(run.finishedAt - run.startedAt),
    run.chain,
    shortText(isAgentRun(run) ? redactor.knownText(questionOf(run)) : redactor.text(run.input), longestInput),
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
          return terminal.paint(run === undefined || left.has(run.id) ? "yellow" : styles[run.status], cell);
        },
      },
      { title: "STARTED" },
      { title: "TOOK", align: "right" },
      { title: "CHAIN" },
      { title: "INPUT", long: "cut" },
    ],
  });
}

/** What an agent was asked, without what was said before. */
function questionOf({ input }: StoredRun): string {
  const question: unknown = JSON.parse(input);
  return isRecord(question) && typeof question["text"] === "string" ? question["text"] : input;
}

interface NextSetting extends Setting {
  /** Runs that have an open question. */
  readonly asking: ReadonlySet<string>;
}

function tellNext(runs: readonly StoredRun[], { invocation, left, asking }: NextSetting): void {
  const { terminal } = invocation;
  const hint = (text: string): void => terminal.tell(terminal.tint("dim", text));
  if (left.size > 0) {
    const whose = left.size === 1 ? "its process is gone" : "their processes are gone";
    hint(`${commandLine(invocation, "resume")} goes on with ${formatCount(left.size, "run")}: ${whose}`);
  }
  const waiting = runs.filter(({ status }) => status === "waiting");
  if (waiting.some(({ id }) => asking.has(id))) {
    hint(`${commandLine(invocation, "approvals")} shows what runs wait for`);
  }
  const decided = waiting.find(({ id }) => !asking.has(id));
  if (decided !== undefined) {
    hint(`${commandLine(invocation, "resume", decided.id)} goes on with it: what it asked is decided`);
  }
}

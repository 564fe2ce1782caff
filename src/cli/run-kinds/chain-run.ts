import type { ExecutionLog, StepLog, StepWaitLog } from "../../chain/index.ts";
import { cutDisplay, displayWidth, formatDuration, padDisplay } from "../../text/index.ts";
import { reportCompensation, reportPendingApprovals, reportRunResult } from "../open/report-run-result.ts";
import { type RunSession, followRun } from "../open/run-session.ts";
import type { ChainRunResult } from "../remote/run-workspace.ts";
import { type ExitCode, exitCodes } from "../program/exit-codes.ts";
import { type Invocation, commandLine } from "../program/invocation.ts";
import { formatCount, formatRetries } from "../terminal/format-figures.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { retriesOf, summaryLine } from "../terminal/run-view/summary-line.ts";
import { safeJson } from "../terminal/safe-json.ts";
import type { Style, Terminal } from "../terminal/terminal.ts";
import { type CancelledRun, type RunKindCommands, type ShownRun, reportWhatItWaitsFor } from "./run-kind.ts";

/** Commands for runs of chains. */
export const chainRuns: RunKindCommands<ChainRunResult> = {
  resume: (session, { id }) => followRun(session, { durable: true }, (how) => session.workspace.runs.resume(id, how)),
  report: (result, session, options) => reportRunResult(result, session, { durable: true, ...options }),
  inspect: ({ runs }, id) => runs.inspect(id),
  cancel: ({ runs }, id, by) => runs.cancel(id, by),
  reportCancelled,
  show: showChainRun,
};

async function reportCancelled(
  result: ChainRunResult,
  session: RunSession,
  { isRequested }: CancelledRun,
): Promise<ExitCode> {
  const { invocation, interrupts } = session;
  const { terminal } = invocation;
  const { runId, status } = result;
  const log = result.log();
  if (invocation.flag("json")) terminal.print(safeJson(log));
  if (!isRequested) terminal.log(`Run ${runId} had already ended.`);
  else if (status === "running") {
    const show = commandLine(invocation, "show", runId);
    terminal.log(`Run ${runId} is being cancelled; check progress with: ${show}`);
    return interrupts.code ?? exitCodes.ok;
  }
  terminal.log(summaryLine(log, (style, text) => terminal.tint(style, text)));
  if (isRequested) reportCompensation(log, session);
  if (status === "waiting") {
    await reportPendingApprovals(runId, session, { durable: true });
    return exitCodes.waiting;
  }
  return status === "cancelled" ? exitCodes.ok : exitCodes.failed;
}

async function showChainRun(invocation: Invocation, shown: ShownRun): Promise<void> {
  const { terminal } = invocation;
  const { workspace, run, isInterrupted } = shown;
  const log = (await workspace.runs.inspect(run.id)).log();
  if (invocation.flag("json")) return terminal.print(safeJson(log));
  for (const line of logLines(log, terminal, isInterrupted)) terminal.print(line);
  await reportWhatItWaitsFor(invocation, shown);
  const failed = log.steps.find(({ status }) => status === "failed");
  if (failed === undefined) return;
  const words = ["explain", log.chain_id, toOneLine(failed.id)] as const;
  terminal.log(terminal.tint("dim", `for details: ${commandLine(invocation, ...words)}`));
}

/** Maximum length of a value; `--json` prints it in full. */
const maxValueLength = 2000;

/** Formats the log of a run: a line per step, with the input and output of its tool below it. */
function logLines(log: ExecutionLog, terminal: Terminal, left: boolean): string[] {
  const width = terminal.columns === undefined ? maxValueLength : terminal.columns - 1;
  const paint = (style: Style, text: string): string => terminal.paint(style, text);
  const value = (name: string, shown: unknown, indent: string): string => {
    const text = toOneLine(safeJson(shown, 0).slice(0, maxValueLength * 2));
    return paint("dim", cutDisplay(`${indent}${name} ${text}`, width));
  };
  const widths = {
    label: Math.min(40, Math.max(0, ...log.steps.map((step) => displayWidth(labelOf(step))))),
    tool: Math.min(30, Math.max(0, ...log.steps.map(({ tool }) => displayWidth(tool)))),
  };
  return [
    `${paint("bold", toOneLine(log.name))}  ${paint("dim", log.chain_id)}`,
    value("input", log.input, "  "),
    ...log.steps.flatMap((step) => {
      const indent = " ".repeat(indentOf(step) + 4);
      return [
        stepLine(step, widths, width, paint),
        ...(step.input === undefined ? [] : [value("in ", step.input, indent)]),
        ...(step.output === undefined ? [] : [value("out", step.output, indent)]),
      ];
    }),
    ...(log.output === null ? [] : [value("output", log.output, "  ")]),
    summaryLine(log, paint, { isInterrupted: left }),
    ...(log.error === undefined
      ? []
      : [cutDisplay(toOneLine(`  ${log.error.code}: ${log.error.message}`), maxValueLength)]),
  ];
}

const marks: Readonly<Record<StepLog["status"], readonly [mark: string, style: Style]>> = {
  running: ["…", "cyan"],
  waiting: ["‖", "yellow"],
  success: ["✓", "green"],
  recovered: ["✓", "yellow"],
  skipped: ["–", "dim"],
  failed: ["✗", "red"],
  cancelled: ["✗", "yellow"],
};

function stepLine(
  step: StepLog,
  widths: { readonly label: number; readonly tool: number },
  width: number,
  paint: (style: Style, text: string) => string,
): string {
  const [mark, style] = marks[step.status];
  const label = padDisplay(cutDisplay(labelOf(step), widths.label), widths.label);
  const tool = padDisplay(cutDisplay(toOneLine(step.tool), widths.tool), widths.tool);
  const took = (step.status === "skipped" ? "" : formatDuration(step.duration_ms)).padStart(9);
  const head = `  ${paint(style, mark)} ${label}  ${paint("dim", `${tool} ${took}`)}`;
  const room = width - (4 + widths.label + 2 + widths.tool + 1 + 9 + 2);
  const note = room > 8 ? cutDisplay(noteOf(step), room) : "";
  return note === "" ? head : `${head}  ${paint(step.status === "failed" ? "red" : "dim", note)}`;
}

/** ` search`, indented below the step that called its chain. */
function labelOf(step: StepLog): string {
  const name = step.id.slice(step.id.lastIndexOf("/") + 1);
  const item = /\[\d+\](?=\/[^/]*$)/.exec(step.id)?.[0];
  return " ".repeat(indentOf(step)) + toOneLine(item === undefined ? name : `${item} ${name}`);
}

function indentOf({ id }: StepLog): number {
  return Math.min(8, id.split("/").length - 1) * 2;
}

function noteOf(step: StepLog): string {
  const { skip_reason: skip, fallback_tool: standIn, error, compensation } = step;
  const parts = [
    skip,
    step.status === "cancelled" && "cancelled",
    step.queued_ms !== undefined && step.queued_ms >= 100 && `waited ${formatDuration(step.queued_ms)}`,
    step.cached && "cached",
    standIn && `fallback ${standIn} used`,
    servedBy(step),
    itemsOf(step),
    retriesOf(step) > 0 && `after ${formatRetries(retriesOf(step))}`,
    error && `${error.code}: ${error.message}`,
    compensation && undone(compensation),
    step.status === "waiting" && waitsText(step),
  ];
  return toOneLine(parts.filter((part) => typeof part === "string" && part !== "").join(", "));
}

function waitsText({ waits_for: waits, approval_id: approval }: StepLog): string {
  if (waits === undefined) return approval === undefined ? "" : `waits for approval ${approval}`;
  const shown = waits.slice(0, 3).map(waitNote).join(", ");
  return waits.length > 3 ? `${shown}, …` : shown;
}

function waitNote({ event, until }: StepWaitLog): string {
  return `waits${event === undefined ? "" : ` for the event ${event}`}${until === undefined ? "" : ` until ${until}`}`;
}

/** For calls that chose among several tools: the tools that produced the result, and those that failed. */
function servedBy({ sources = [], failed_sources: failed = [] }: StepLog): string {
  const without =
    failed.length === 0 ? "" : `, ${failed.map(({ tool, code }) => `${tool} failed (${code})`).join(", ")}`;
  return sources.length === 0 ? "" : `by ${sources.join(", ")}${without}`;
}

function itemsOf({ items }: StepLog): string {
  if (items === undefined) return "";
  const failed = items.filter(({ status }) => status === "failed").length;
  return `${formatCount(items.length, "item")}${failed > 0 ? `, ${failed} failed` : ""}`;
}

function undone({ status, error }: NonNullable<StepLog["compensation"]>): string {
  return status === "success" ? "undone" : `could not be undone: ${error?.message ?? "unknown reason"}`;
}

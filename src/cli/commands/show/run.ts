import type { ExecutionLog, StepLog } from "../../chain/index.ts";
import { cutDisplay, displayWidth, formatDuration, padDisplay } from "../../text/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { formatCount } from "../format-figures.ts";
import { oneLine } from "../format-table.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { askedAbout, openQuestions } from "../open-questions.ts";
import { type PastRun, withPastRun } from "../past-run.ts";
import { summaryLine } from "../run-view/summary-line.ts";
import { safeJson } from "../safe-json.ts";
import { tellResume } from "../tell-resume.ts";
import type { Style, Terminal } from "../terminal.ts";

/** `windlass show`. */
export const showRun: RunCommand = (invocation) =>
  withPastRun(invocation, (past) => showChainRun(invocation, past), {
    ofAgent: async (past) => (await import("../show-agent.ts")).showAgent(invocation, past),
  });

async function showChainRun(invocation: Invocation, { workspace, result, left }: PastRun): Promise<void> {
  const { terminal } = invocation;
  const log = result.log();
  if (invocation.flag("json")) {
    terminal.print(safeJson(log));
    return;
  }
  for (const line of logLines(log, terminal, left)) terminal.print(line);
  const questions = isOver(log.status) ? [] : await openQuestions(workspace, result.runId);
  for (const question of questions) {
    terminal.tell(`waiting: ${askedAbout(question)}`);
    terminal.tell(`  ${terminal.tint("bold", oneLine(question.tool))} ${safeJson(question.args, 0)}`);
    terminal.tell(`  ${terminal.tint("cyan", `${commandLine(invocation, "approve", question.id)} lets it go on`)}`);
  }
  const isDecided = log.status === "waiting" && questions.length === 0;
  if (left || isDecided) tellResume(invocation, result.runId);
  tellNext(log, invocation);
}

function isOver(status: ExecutionLog["status"]): boolean {
  return status !== "running" && status !== "waiting";
}

function tellNext(log: ExecutionLog, invocation: Invocation): void {
  const failed = log.steps.find(({ status }) => status === "failed");
  if (failed === undefined) return;
  const { terminal } = invocation;
  const words = ["explain", log.chain_id, oneLine(failed.id)] as const;
  terminal.tell(terminal.tint("dim", `${commandLine(invocation, ...words)} tells why`));
}

/** Values longer than this are for --json. */
const longestValue = 2000;

/** The log of a run for people: a line for each step, and beneath it what its tool got and gave. */
function logLines(log: ExecutionLog, terminal: Terminal, left: boolean): string[] {
  const width = terminal.columns === undefined ? longestValue : terminal.columns - 1;
  const paint = (style: Style, text: string): string => terminal.paint(style, text);
  const value = (name: string, shown: unknown, indent: string): string => {
    const text = oneLine(safeJson(shown, 0).slice(0, longestValue * 2));
    return paint("dim", cutDisplay(`${indent}${name} ${text}`, width));
  };
  const widths = {
    label: Math.min(40, Math.max(0, ...log.steps.map((step) => displayWidth(labelOf(step))))),
    tool: Math.min(30, Math.max(0, ...log.steps.map(({ tool }) => displayWidth(tool)))),
  };
  return [
    `${paint("bold", oneLine(log.name))}  ${paint("dim", log.chain_id)}`,
    value("input", log.input, "  "),
    ...log.steps.flatMap((step) => {
      const indent = " ".repeat(indentOf(step) + 4);
      return [
        stepLine(step, { widths, width, paint }),
        ...(step.input === undefined ? [] : [value("in ", step.input, indent)]),
        ...(step.output === undefined ? [] : [value("out", step.output, indent)]),
      ];
    }),
    ...(log.output === null ? [] : [value("output", log.output, "  ")]),
    summaryLine(log, paint, { left }),
    ...(log.error === undefined
      ? []
      : [cutDisplay(oneLine(`  ${log.error.code}: ${log.error.message}`), longestValue)]),
  ];
}

interface LineOptions {
  readonly widths: { readonly label: number; readonly tool: number };
  readonly width: number;
  readonly paint: (style: Style, text: string) => string;
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

function stepLine(step: StepLog, { widths, width, paint }: LineOptions): string {
  const [mark, style] = marks[step.status];
  const label = padDisplay(cutDisplay(labelOf(step), widths.label), widths.label);
  const tool = padDisplay(cutDisplay(oneLine(step.tool), widths.tool), widths.tool);
  const took = (step.status === "skipped" ? "" : formatDuration(step.duration_ms)).padStart(9);
  const head = `  ${paint(style, mark)} ${label}  ${paint("dim", `${tool} ${took}`)}`;
  const room = width - (4 + widths.label + 2 + widths.tool + 1 + 9 + 2);
  const note = room > 8 ? cutDisplay(noteOf(step), room) : "";
  return note === "" ? head : `${head}  ${paint(step.status === "failed" ? "red" : "dim", note)}`;
}

/** `  search`, indented beneath the step that called its chain. */
function labelOf(step: StepLog): string {
  const name = step.id.slice(step.id.lastIndexOf("/") + 1);
  const item = /\[\d+\](?=\/[^/]*$)/.exec(step.id)?.[0];
  return " ".repeat(indentOf(step)) + oneLine(item === undefined ? name : `${item} ${name}`);
}

function indentOf({ id }: StepLog): number {
  return Math.min(8, id.split("/").length - 1) * 2;
}

function noteOf(step: StepLog): string {
  const { skip_reason: skip, fallback_tool: standIn, error, compensation, approval_id: approval } = step;
  const parts = [
    skip,
    step.status === "cancelled" && "cancelled",
    step.cached && "cached",
    standIn && `${standIn} stood in`,
    servedBy(step),
    triesOf(step),
    error && `${error.code}: ${error.message}`,
    compensation && undone(compensation),
    step.status === "waiting" && approval && `waits for approval ${approval}`,
  ];
  return oneLine(parts.filter((part) => typeof part === "string" && part !== "").join(", "));
}

/** Where tools were chosen from: whose results these are, and who failed. */
function servedBy({ sources = [], failed_sources: failed = [] }: StepLog): string {
  const without =
    failed.length === 0 ? "" : `, ${failed.map(({ tool, code }) => `${tool} failed (${code})`).join(", ")}`;
  return sources.length === 0 ? "" : `by ${sources.join(", ")}${without}`;
}

function triesOf({ items, attempts }: StepLog): string {
  if (items === undefined) return attempts > 1 ? formatCount(attempts, "attempt") : "";
  const failed = items.filter(({ status }) => status === "failed").length;
  return `${formatCount(items.length, "item")}${failed > 0 ? `, ${failed} failed` : ""}`;
}

function undone({ status, error }: NonNullable<StepLog["compensation"]>): string {
  return status === "success" ? "undone" : `could not be undone: ${error?.message ?? "nobody knows why"}`;
}

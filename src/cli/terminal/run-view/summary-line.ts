import type { ExecutionLog, StepLog } from "../../../chain/index.ts";
import { formatDuration } from "../../../text/index.ts";
import { formatCount, formatRetries } from "../format-figures.ts";
import { toOneLine } from "../format-table.ts";
import type { Style } from "../terminal.ts";

/** Summarizes a run in one line: status, duration, steps, retries, and the time saved by parallel execution. */
export function summaryLine(
  log: ExecutionLog,
  tint: (style: Style, text: string) => string,
  { isInterrupted = false, isDryRun = false }: SummaryOptions = {},
): string {
  const { parallel_speedup: speedUp } = log.metrics;
  const count = (matches: (step: StepLog) => boolean): number => log.steps.filter(matches).length;
  const done = count((step) => step.status !== "skipped" && step.started_at !== undefined && step.dry_run !== true);
  const withheld = count((step) => step.dry_run === true);
  // The others that failed first are `retries`.
  const recovered = count(({ status }) => status === "recovered");
  const skipped = count(({ status }) => status === "skipped");
  const retries = log.steps.reduce((sum, step) => sum + retriesOf(step), 0);
  const parts = [
    formatCount(done, "step"),
    ...(withheld > 0 ? [`${withheld} withheld`] : []),
    ...(retries > 0 ? [formatRetries(retries)] : []),
    ...(recovered > 0 ? [`${recovered} recovered`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(speedUp >= 1.05 ? [`${speedUp.toFixed(1)}× parallel`] : []),
  ];
  const head = statusLine({ ...log, name: `${isDryRun ? "dry run of " : ""}${log.name}` }, tint, isInterrupted);
  return `${head} ${tint("dim", `(${parts.join(", ")})`)}`;
}

/** Status and duration of a run: `✓ send succeeded in 12 ms`. */
export function statusLine(
  run: Pick<ExecutionLog, "name" | "status" | "duration_ms">,
  tint: (style: Style, text: string) => string,
  isInterrupted: boolean,
): string {
  const [mark, style, word] = run.status === "running" && isInterrupted ? interruptedStyle : endings[run.status];
  return tint(style, `${mark} ${toOneLine(run.name)} ${word} ${formatDuration(run.duration_ms)}`);
}

/** Number of retries of a step, over all its items and rounds. */
export function retriesOf({ failures = [] }: StepLog): number {
  return failures.filter(({ retry_in_ms: delayMs }) => delayMs !== undefined).length;
}

/** State that the log does not contain. */
export interface SummaryOptions {
  /** True if no process holds the run although it has not ended. */
  readonly isInterrupted?: boolean;
  readonly isDryRun?: boolean;
}

type Ending = readonly [mark: string, style: Style, word: string];

const interruptedStyle: Ending = ["‖", "yellow", "was interrupted after"];

const endings: Readonly<Record<ExecutionLog["status"], Ending>> = {
  success: ["✓", "green", "succeeded in"],
  failed: ["✗", "red", "failed after"],
  cancelled: ["✗", "yellow", "was cancelled after"],
  waiting: ["‖", "yellow", "is waiting, after"],
  running: ["…", "cyan", "has been running for"],
};

import type { ExecutionLog } from "../../../chain/index.ts";
import { formatDuration } from "../../../text/index.ts";
import { formatCount } from "../format-figures.ts";
import { toOneLine } from "../format-table.ts";
import type { Style } from "../terminal.ts";

/** Summarizes a run in one line: status, duration, steps, attempts, and the time saved by parallel execution. */
export function summaryLine(
  log: ExecutionLog,
  tint: (style: Style, text: string) => string,
  { isInterrupted = false }: SummaryOptions = {},
): string {
  const [mark, style, word] = log.status === "running" && isInterrupted ? interruptedStyle : endings[log.status];
  const { parallel_speedup: speedUp, recovered } = log.metrics;
  const done = log.steps.filter(({ status, started_at }) => status !== "skipped" && started_at !== undefined);
  const skipped = log.steps.filter(({ status }) => status === "skipped").length;
  const attempts = done.reduce((sum, step) => sum + step.attempts, 0);
  const parts = [
    formatCount(done.length, "step"),
    ...(attempts > done.length ? [formatCount(attempts, "attempt")] : []),
    ...(recovered > 0 ? [`${recovered} recovered`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(speedUp >= 1.05 ? [`${speedUp.toFixed(1)}× parallel`] : []),
  ];
  const head = `${mark} ${toOneLine(log.name)} ${word} ${formatDuration(log.duration_ms)}`;
  return `${tint(style, head)} ${tint("dim", `(${parts.join(", ")})`)}`;
}

/** State that the log does not contain. */
export interface SummaryOptions {
  /** True if no process holds the run although it has not ended. */
  readonly isInterrupted?: boolean;
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

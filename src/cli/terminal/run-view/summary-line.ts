import type { ExecutionLog } from "../../chain/index.ts";
import { formatDuration } from "../../text/index.ts";
import { formatCount } from "../format-figures.ts";
import { oneLine } from "../format-table.ts";
import type { Style } from "../terminal.ts";

/** How a run ended, in one line: status, duration, steps, attempts and what running them at once saved. */
export function summaryLine(
  log: ExecutionLog,
  tint: (style: Style, text: string) => string,
  { left = false }: SummaryOptions = {},
): string {
  const [mark, style, word] = log.status === "running" && left ? leftBehind : endings[log.status];
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
  const head = `${mark} ${oneLine(log.name)} ${word} ${formatDuration(log.duration_ms)}`;
  return `${tint(style, head)} ${tint("dim", `(${parts.join(", ")})`)}`;
}

/** What the log does not know. */
export interface SummaryOptions {
  /** Nobody executes the run, though it is not over. */
  readonly left?: boolean;
}

type Ending = readonly [mark: string, style: Style, word: string];

const leftBehind: Ending = ["‖", "yellow", "was interrupted after"];

const endings: Readonly<Record<ExecutionLog["status"], Ending>> = {
  success: ["✓", "green", "succeeded in"],
  failed: ["✗", "red", "failed after"],
  cancelled: ["✗", "yellow", "was cancelled after"],
  waiting: ["‖", "yellow", "waits, after"],
  running: ["…", "cyan", "has been running for"],
};

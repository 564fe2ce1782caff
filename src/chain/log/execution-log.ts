import type { RunStatus } from "../../store/index.ts";
import { createRedactor } from "../../text/index.ts";
import type { RunFacts } from "../run/run-facts.ts";
import { allSteps } from "./all-steps.ts";
import { toLocalTime } from "./local-time.ts";
import { type LogRedactor, logValue } from "./log-value.ts";
import { type RunMetrics, lastMoment, metricsOf, rounded } from "./run-metrics.ts";
import { type LoggedError, type StepLog, toLoggedError, toStepLog, tokensOf } from "./step-log.ts";

/** What happened in a run, as JSON: the form in which `windlass run --json` prints it. */
export interface ExecutionLog {
  /** The id of the run. */
  readonly chain_id: string;
  /** The name of the chain. */
  readonly name: string;
  /** Local time with offset. */
  readonly started_at: string;
  /** Null while the run goes on. */
  readonly completed_at: string | null;
  readonly duration_ms: number;
  /** In the order of the chain; the steps of a sub-chain follow the step that called it. Without those never begun. */
  readonly steps: readonly StepLog[];
  readonly total_tokens: number;
  readonly success: boolean;
  readonly status: RunStatus;
  readonly input: unknown;
  /** Null where there is none. */
  readonly output: unknown;
  readonly metrics: RunMetrics;
  readonly error?: LoggedError;
}

/** How a log is written. */
export interface ExecutionLogOptions {
  /** Takes secrets out; one that knows telling names and shapes of tokens where absent. */
  readonly redactor?: LogRedactor;
  /** Minutes east of Greenwich; those of this machine where absent. */
  readonly utcOffset?: number;
}

/**
 * The execution log of a run, secrets redacted.
 *
 * @example
 * ```ts
 * const log = toExecutionLog(run, { utcOffset: 480 });
 * log.steps.map(({ id, status }) => `${id}: ${status}`); // ["search: success", "summarize: recovered"]
 * ```
 */
export function toExecutionLog(run: RunFacts, options: ExecutionLogOptions = {}): ExecutionLog {
  const { redactor = createRedactor([]), utcOffset } = options;
  const until = lastMoment(run);
  const steps: StepLog[] = [];
  let tokens = 0;
  for (const state of allSteps(run.steps)) {
    const step = toStepLog(state, { redactor, utcOffset, until });
    if (step !== undefined) steps.push(step);
    tokens += tokensOf(state);
  }
  return {
    chain_id: run.runId,
    name: run.plan.name,
    started_at: toLocalTime(run.startedAt, utcOffset),
    completed_at: run.endedAt > 0 ? toLocalTime(run.endedAt, utcOffset) : null,
    duration_ms: rounded(until - run.startedAt, 3),
    steps,
    total_tokens: tokens,
    success: run.status === "success",
    status: run.status,
    input: logValue(run.input ?? null, redactor),
    output: logValue(run.output ?? null, redactor),
    metrics: metricsOf(run),
    ...(run.error && { error: toLoggedError(run.error, redactor) }),
  };
}
